import Database from 'better-sqlite3'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { inject } from 'vitest'
import { createDatabase, dropDatabase } from '../../../../harness/src/postgres/databases.ts'
import { memoryStore, type ProcessedStore } from '../../src/dedupe.ts'
import { postgresStore, postgresTable } from '../../src/postgres.ts'
import { redisStore } from '../../src/redis.ts'
import { sqliteStore, sqliteTable } from '../../src/sqlite.ts'
import { startRedis } from './redisServer.ts'

export interface OpenStore {
  readonly store: ProcessedStore
  /** Lets time pass for the store. A server's clock cannot be set, so all its data becomes older instead. */
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

/** Opens an empty store. `null`: this machine cannot run it. */
export type OpenEmpty = () => Promise<OpenStore | null>

function shiftedTime() {
  let passedMs = 0
  return {
    now: () => Date.now() + passedMs,
    async pass(ms: number) {
      passedMs += ms
    },
  }
}

const REDIS_PASS = `
for _, key in ipairs(redis.call('KEYS', 'posthorn:*')) do
  local held = redis.call('HGET', key, 'until')
  if held then redis.call('HSET', key, 'until', string.format('%.0f', held - ARGV[1])) end
  -- Deleted where the time is over.
  redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[1])
end`

export const STORES: Readonly<Record<string, OpenEmpty>> = {
  memory: async () => {
    const { now, pass } = shiftedTime()
    return { store: memoryStore({ now }), pass, close: async () => {} }
  },
  'SQLite by better-sqlite3': async () => {
    const database = new Database(':memory:')
    database.exec(sqliteTable())
    const { now, pass } = shiftedTime()
    return { store: sqliteStore(database, { now }), pass, close: async () => void database.close() }
  },
  'PostgreSQL by pg': async () => {
    const server = inject('postgresUrl')
    const name = 'receiver_stores'
    await dropDatabase(server, name)
    const pool = new pg.Pool({ connectionString: await createDatabase(server, name), max: 8 })
    // The database is dropped while ended connections are still closing, and the pool no longer handles their
    // errors.
    pool.on('connect', (client) => client.on('error', () => {}))
    await pool.query(postgresTable())
    return {
      store: postgresStore(pool),
      async pass(ms) {
        const passed = "$1::int * interval '1 millisecond'"
        await pool.query(
          `UPDATE webhook_events SET claimed_until = claimed_until - ${passed}, expires_at = expires_at - ${passed}`,
          [ms],
        )
      },
      async close() {
        await pool.end()
        await dropDatabase(server, name)
      },
    }
  },
  'Redis by ioredis': async () => {
    const server = await startRedis()
    if (server === null) return null
    const client = new Redis(server.url)
    return {
      store: redisStore(client),
      pass: async (ms) => void (await client.call('EVAL', REDIS_PASS, '0', String(ms))),
      async close() {
        client.disconnect()
        await server.stop()
      },
    }
  },
  'Redis by node-redis': async () => {
    const server = await startRedis()
    if (server === null) return null
    const client = await createClient({ url: server.url }).connect()
    return {
      store: redisStore(client),
      pass: async (ms) => void (await client.sendCommand(['EVAL', REDIS_PASS, '0', String(ms)])),
      async close() {
        client.destroy()
        await server.stop()
      },
    }
  },
}
