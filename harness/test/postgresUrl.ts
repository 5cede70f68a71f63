import { inject } from 'vitest'
import { FAST_SETTINGS, type PostgresServer, startPostgres } from '../src/postgres/server.ts'

let own: Promise<PostgresServer> | undefined

/**
 * The URL of a superuser in a PostgreSQL server for tests: the one that all files of a run share or, for a
 * file without the global setup, one that ends with this process. It is empty until the caller creates
 * something.
 */
export async function postgresUrl(): Promise<string> {
  const shared: string | undefined = inject('postgresUrl')
  if (shared !== undefined) return shared
  own ??= startPostgres({ settings: FAST_SETTINGS })
  return (await own).url()
}
