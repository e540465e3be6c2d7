-- KEYS: the leases of an account, the leases of all, and the window of the account.
-- ARGV: now, the id of the lease, its length, the most leases of the account, the most of all, the length of the window
-- and its limit.
-- Takes a slot for a large upload. Returns { 'taken' }, or which limit is reached; for the window, with the time until
-- it is below its limit again.
local now, id, lease = clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local length, limit = tonumber(ARGV[6]), tonumber(ARGV[7])
if leases(KEYS[1], lease, now) >= tonumber(ARGV[4]) then
  return { 'account', 0 }
end
local time, begun = slide(KEYS[3], length, now)
if begun >= limit then
  return { 'window', tonumber(redis.call('LINDEX', KEYS[3], limit - 1)) + length - time }
end
if leases(KEYS[2], lease, now) >= tonumber(ARGV[5]) then
  return { 'all', 0 }
end
push(KEYS[3], length, limit, time)
hold(KEYS[1], id, lease, now)
hold(KEYS[2], id, lease, now)
return { 'taken', 0 }
