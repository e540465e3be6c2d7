-- KEYS: the leases of an account, and the leases of all. ARGV: the id of a lease.
-- Ends a lease.
for _, key in ipairs(KEYS) do
  redis.call('ZREM', key, ARGV[1])
end
return 1
