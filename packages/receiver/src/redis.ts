import type { ClaimResult, ProcessedStore } from './process/store.ts'

export type { ClaimedEvent, ClaimResult, ProcessedStore } from './process/store.ts'

/** A client of Redis: `ioredis`, or `redis` (node-redis) once it is connected. */
export type RedisClient =
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { sendCommand(args: string[]): Promise<unknown> }

export interface RedisStoreOptions {
  /** Begins every key. Default: `posthorn:`. */
  readonly prefix?: string | undefined
}

// Times are those of the server, so that clocks of receivers do not matter. Numbers of Lua are doubles, as those of JavaScript.
const CLAIM = `
local entry = redis.call('HMGET', KEYS[1], 'version', 'event', 'token', 'until')
local version, event = tonumber(entry[1]), entry[2]
if version and (version > tonumber(ARGV[1]) or (version == tonumber(ARGV[1]) and event == ARGV[2])) then return 'done' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if entry[3] and entry[3] ~= ARGV[3] and tonumber(entry[4]) > now then return 'busy' end
redis.call('HSET', KEYS[1], 'token', ARGV[3], 'until', string.format('%.0f', now + ARGV[4]))
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 'claimed'`

const COMPLETE = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[3] then return end
redis.call('HDEL', KEYS[1], 'token', 'until')
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'event', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])`

const RELEASE = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return end
redis.call('HDEL', KEYS[1], 'token', 'until')`

/** For any number of processes. Needs Redis 5 or later, or what speaks its protocol and runs its scripts. */
export function redisStore(
  client: RedisClient,
  { prefix = 'posthorn:' }: RedisStoreOptions = {},
): ProcessedStore {
  const run = (script: string, key: string, ...args: (string | number)[]): Promise<unknown> => {
    const words = [script, '1', prefix + key, ...args.map(String)]
    // ioredis has a sendCommand of another kind too.
    return 'call' in client ? client.call('EVAL', ...words) : client.sendCommand(['EVAL', ...words])
  }
  return {
    async claim({ key, version, event }, token, leaseMs) {
      return (await run(CLAIM, key, version, event, token, leaseMs)) as ClaimResult
    },
    async complete({ key, version, event }, token, keepMs) {
      await run(COMPLETE, key, version, event, token, keepMs)
    },
    async release(key, token) {
      await run(RELEASE, key, token)
    },
  }
}
