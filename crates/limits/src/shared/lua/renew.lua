-- KEYS: the leases of an account, and the leases of all. ARGV: now, the id of a lease, its length.
-- Renews a lease. One that is missing, because Redis was restarted or the server was suspended, is added again: its
-- upload is running.
local now = clock(ARGV[1])
for _, key in ipairs(KEYS) do
  hold(key, ARGV[2], tonumber(ARGV[3]), now)
end
return 1
