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
  close(): Promise<void>
}

/** Opens a store that nothing is in. `null`: this machine cannot run it. */
export type OpenEmpty = () => Promise<OpenStore | null>

export const STORES: Readonly<Record<string, OpenEmpty>> = {
  memory: async () => ({ store: memoryStore(), close: async () => {} }),
  'SQLite by better-sqlite3': async () => {
    const database = new Database(':memory:')
    database.exec(sqliteTable())
    return { store: sqliteStore(database), close: async () => void database.close() }
  },
  'PostgreSQL by pg': async () => {
    const server = inject('postgresUrl')
    const name = 'receiver_stores'
    await dropDatabase(server, name)
    const pool = new pg.Pool({ connectionString: await createDatabase(server, name), max: 8 })
    await pool.query(postgresTable())
    return {
      store: postgresStore(pool),
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
      async close() {
        client.destroy()
        await server.stop()
      },
    }
  },
}
