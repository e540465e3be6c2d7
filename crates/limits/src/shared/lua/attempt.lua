-- KEYS: the windows of a visitor, of a visitor's first attempts, and of a site. ARGV: now, and of each window its length
-- and its limit.
-- Counts a password attempt. Returns 1 if it is admitted, else 0.
local now = clock(ARGV[1])

local function window(number)
  local key, length, limit = KEYS[number], tonumber(ARGV[2 * number]), tonumber(ARGV[2 * number + 1])
  local time, before = slide(key, length, now)
  return before < limit, function() push(key, length, limit, time) end
end

local visitor_may, count_visitor = window(1)
count_visitor()
if not visitor_may then
  return 0
end
local is_first, count_first = window(2)
count_first()
if is_first then
  return 1
end
local site_may, count_site = window(3)
if not site_may then
  -- Refused attempts do not use the budget of the site.
  return 0
end
count_site()
return 1
