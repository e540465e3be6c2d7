-- Functions of all scripts. Times are microseconds since 1970, which a Lua number holds exactly.

-- The time of Redis, which all servers share. Only tests pass a time of their own.
local function clock(given)
  if given ~= '' then
    return tonumber(given)
  end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Lua's own conversion keeps only 14 digits.
local function text(number)
  return string.format('%.0f', number)
end

local function expire(key, length)
  redis.call('PEXPIRE', key, text(math.ceil(length / 1000)))
end

-- A sliding window is a list of times, newest first. Drops those that have left it, and returns the time at which to
-- count and the number of requests inside the window.
local function slide(key, length, now)
  local newest = tonumber(redis.call('LINDEX', key, 0))
  if newest and newest - now > length then
    -- Written by a clock that was wrong.
    redis.call('DEL', key)
  elseif newest and newest > now then
    -- The clock was set back a little: the times of a list stay in order.
    now = newest
  end
  local oldest = tonumber(redis.call('LINDEX', key, -1))
  while oldest and oldest <= now - length do
    redis.call('RPOP', key)
    oldest = tonumber(redis.call('LINDEX', key, -1))
  end
  return now, redis.call('LLEN', key)
end

-- Adds a request to a window that keeps at most this many.
local function push(key, length, most, now)
  redis.call('LPUSH', key, text(now))
  redis.call('LTRIM', key, 0, most - 1)
  expire(key, length)
end

-- Leases are a sorted set of ids by the time at which they expire. Drops those that have, and those that expire later
-- than any lease can, which a wrong clock wrote. Returns the number of the others.
local function leases(key, length, now)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now))
  redis.call('ZREMRANGEBYSCORE', key, '(' .. text(now + length), '+inf')
  return redis.call('ZCARD', key)
end

-- Begins or renews a lease.
local function hold(key, id, length, now)
  redis.call('ZADD', key, text(now + length), id)
  expire(key, length)
end
