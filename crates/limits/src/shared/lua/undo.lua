-- KEYS: a window. ARGV: the time of a request.
-- Uncounts the request. Requests of the same time are interchangeable.
return redis.call('LREM', KEYS[1], 1, ARGV[1])
