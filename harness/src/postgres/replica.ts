import { existsSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../support/freePort.ts'
import { eventually } from '../support/waiting.ts'
import { provideBinaries } from './provide.ts'
import { PostgresServer } from './server.ts'
import { ServerHome } from './serverHome.ts'

const STREAMS_WITHIN_MS = 30_000

const COPY_PROGRAM = 'pg_basebackup'

/** Whether PostgreSQL here can copy a running server; the version of the npm package cannot. */
export const replicasPossible = () => existsSync(path.join(provideBinaries().directory, COPY_PROGRAM))

interface ReplicaOptions {
  /**
   * The primary then confirms a commit only when the replica has it on disk; only the latest replica counts.
   */
  readonly synchronous?: boolean
}

/**
 * Starts a copy of a running primary that follows it. The primary keeps the WAL that the replica has not
 * received, also while the replica is down. Resolves when it streams. @throws Error where there is no
 * pg_basebackup
 */
export async function startReplica(
  primary: PostgresServer,
  { synchronous = false }: ReplicaOptions = {},
): Promise<PostgresServer> {
  const home = new ServerHome()
  try {
    const server = new PostgresServer(home, await freePort())
    const name = `replica_${server.port}`
    await home.run(COPY_PROGRAM, [
      ...['--pgdata', home.dataDir, '--dbname', `${primary.url()}?application_name=${name}`],
      ...['--write-recovery-conf', '--create-slot', '--slot', name, '--checkpoint', 'fast', '--no-sync'],
    ])
    await server.start()
    // The settings copied from the primary must not make it wait for its own replica once it is promoted.
    await setSynchronous(server, '')
    if (synchronous) await setSynchronous(primary, name)
    const wanted = synchronous ? 'sync' : 'async'
    await eventually(
      async () => {
        const [row] = await primary.query(
          "select sync_state from pg_stat_replication where application_name = $1 and state = 'streaming'",
          [name],
        )
        return row?.sync_state === wanted || null
      },
      { withinMs: STREAMS_WITHIN_MS, what: `${wanted} replication` },
    )
    return server
  } catch (error) {
    await home.remove()
    throw error
  }
}

async function setSynchronous(server: PostgresServer, names: string): Promise<void> {
  await server.query(`alter system set synchronous_standby_names = '${names}'`)
  await server.query('select pg_reload_conf()')
}
