import { randomBytes } from 'node:crypto'
import { createDatabase, dropDatabase } from '../src/postgres/databases.ts'
import type { Settings } from '../src/support/posthorn.ts'
import { postgresUrl } from './postgresUrl.ts'

/** The store of a test's services. */
export interface TestStore {
  /** For a service that uses it. */
  readonly settings: Settings
  /** Removes it; no service may use it any more. */
  remove(): Promise<void>
}

/**
 * The embedded store, in a service's data directory; or a database, when the tests run again on PostgreSQL.
 */
export async function makeTestStore(): Promise<TestStore> {
  if (process.env.POSTHORN_TEST_STORE === 'postgres') return makeTestDatabase()
  return { settings: {}, remove: async () => {} }
}

/** An empty database in the server that all test files share. */
export async function makeTestDatabase(): Promise<TestStore & { readonly url: string }> {
  const server = await postgresUrl()
  const name = `posthorn_${randomBytes(6).toString('hex')}`
  const url = await createDatabase(server, name)
  return { url, settings: { POSTHORN_DATABASE_URL: url }, remove: () => dropDatabase(server, name) }
}
