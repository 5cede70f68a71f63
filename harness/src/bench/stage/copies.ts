import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { query } from '../../postgres/query.ts'
import { PostgresServer } from '../../postgres/server.ts'
import { ServerHome } from '../../postgres/serverHome.ts'
import { freePort } from '../../support/freePort.ts'

const run = promisify(execFile)

/**
 * Copies a directory with its owners to a new one. The copy is synced to disk, since the system would
 * otherwise write gigabytes during the next measurement.
 */
export async function copyDirectory(from: string, to: string): Promise<void> {
  await run('cp', ['--archive', '--reflink=auto', '--no-target-directory', from, to])
  await run('sync', ['--file-system', to])
}

/** Copies a server's data while the server is down. Runs first what autovacuum would do later. */
export async function copyPostgres(server: PostgresServer, database: string, to: string): Promise<void> {
  await query(server.url(database), 'VACUUM (ANALYZE)')
  await server.stop()
  await copyDirectory(server.dataDir, to)
  await server.start()
}

/**
 * Starts a server on a copy of the copy.
 * @param environment variables for its programs
 * @param parent of its directory
 */
export async function startPostgresCopy(
  from: string,
  environment: Readonly<Record<string, string>>,
  parent: string,
): Promise<PostgresServer> {
  const home = new ServerHome(environment, parent)
  try {
    await copyDirectory(from, home.dataDir)
    const server = new PostgresServer(home, await freePort())
    await server.start()
    return server
  } catch (error) {
    await home.remove()
    throw error
  }
}
