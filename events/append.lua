-- Append to one game's log, or say why not, in one step on one shard (architecture decisions 3, 4).
-- KEYS: log, feed, due, predecessor's link (or the log again when there is none), wake-up channel,
--       requests, pack, packable games; the feed's name is a channel too, for those who cannot wait
--       at its stream
-- ARGV: game, expected version, expected command id, command id, due after ms or '', since when in
--       ms or '' (now), successor of ('1' or ''), request or '', what is remembered of it before the
--       version, seconds to keep requests or '', '1' if the game is over or '', then cause and body of
--       each event in one string
-- Answers {1, version, time} when appended or recognised as a retry, {0, version} on conflict,
-- {2, successor} when the predecessor already has one, {3, what is remembered} when the request has
-- been done. Times are milliseconds since 1970.
local function first(entry) return entry[1] and entry[1][2][2] or nil end

local count = #ARGV - 11
local expected, command = tonumber(ARGV[2]), ARGV[4]
if ARGV[8] ~= '' then
  local done = redis.call('HGET', KEYS[6], ARGV[8])
  if done and string.sub(done, 1, 8) ~= command then return {3, string.sub(done, 9)} end
end

local top = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local last, value = 0, first(top)
if value then last = tonumber(string.match(top[1][1], '^(%d+)')) end

if last ~= expected or (value and string.sub(value, 1, 8) ~= ARGV[3]) then
  local id = string.format('%d-0', expected + 1)
  local mine = first(redis.call('XRANGE', KEYS[1], id, id))
  if mine and string.sub(mine, 1, 8) == command then
    return {1, expected + count, struct.unpack('>I6', string.sub(mine, 9, 14))}
  end
  return {0, last}
end
if not value and redis.call('EXISTS', KEYS[7]) == 1 then return {0, 0} end

if ARGV[7] == '1' and not redis.call('SET', KEYS[4], ARGV[1], 'NX') then
  return {2, redis.call('GET', KEYS[4])}
end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if value then now = math.max(now, (struct.unpack('>I6', string.sub(value, 9, 14)))) end
local stamp = command .. struct.pack('>I6', now)
for i = 1, count do
  redis.call('XADD', KEYS[1], string.format('%d-0', expected + i), 'e', stamp .. ARGV[11 + i])
end
local cause = string.sub(ARGV[12], 1, 1)
local fed = redis.call('XADD', KEYS[2], '*', 'g', ARGV[1], 'v', expected + count, 'c', cause)
if ARGV[5] == '' then
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  local since = ARGV[6] == '' and now or tonumber(ARGV[6])
  redis.call('ZADD', KEYS[3], since + tonumber(ARGV[5]), ARGV[1])
end
if ARGV[8] ~= '' then
  local done = command .. ARGV[9] .. string.format(' %d', expected + count)
  redis.call('HSET', KEYS[6], ARGV[8], done)
end
if ARGV[10] ~= '' then redis.call('EXPIRE', KEYS[6], ARGV[10]) end
if ARGV[11] == '1' then redis.call('ZADD', KEYS[8], string.match(fed, '^%d+'), ARGV[1]) end
redis.call('SPUBLISH', KEYS[5], expected + count)
redis.call('SPUBLISH', KEYS[2], '')
return {1, expected + count, now}
