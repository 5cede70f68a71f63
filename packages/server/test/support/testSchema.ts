import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { postgresUrl } from './postgresUrl.ts'

const DEADLOCK = '40P01'

/** A private schema on the tests' PostgreSQL server; opening a store in it creates it. */
export interface TestSchema {
  readonly url: string
  readonly name: string
  /** A connection that sees its tables; to be ended by the caller. */
  connect(): Promise<pg.Client>
  /** Drops it; it must not be open any more. */
  drop(): Promise<void>
}

export async function newTestSchema(): Promise<TestSchema> {
  const url = await postgresUrl()
  const name = `test_${randomBytes(6).toString('hex')}`
  const connect = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`SET search_path = ${name}; SET client_min_messages = warning`)
    return client
  }
  return {
    url,
    name,
    connect,
    async drop() {
      const client = await connect()
      const drop = () => client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
      // A statement of a connection that was closed may still run, and lock the tables in its own order.
      await drop().catch((error: { readonly code?: string }) => {
        if (error.code !== DEADLOCK) throw error
        return drop()
      })
      await client.end()
    },
  }
}
