-- KEYS: a window. ARGV: now, its length, its limit.
-- Counts a request. Returns its time, how many were in the window before it, and the time until the window is below its
-- limit again.
local length, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local now, before = slide(KEYS[1], length, clock(ARGV[1]))
-- As many as `limit` may be undone again: see `memory`.
push(KEYS[1], length, 2 * limit, now)
local limiting = tonumber(redis.call('LINDEX', KEYS[1], limit - 1))
return { now, before, limiting and limiting + length - now or 0 }
