import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../support/freePort.ts'
import { eventually } from '../support/waiting.ts'
import { PostgresServer, startPostgres } from './server.ts'
import { ServerHome } from './serverHome.ts'

const RECOVERS_WITHIN_MS = 60_000

/** A server that archives its WAL, so that it can be restored to a point in time. */
export class ArchivingServer {
  readonly server: PostgresServer
  readonly #archive: string

  private constructor(server: PostgresServer, archive: string) {
    this.server = server
    this.#archive = archive
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<ArchivingServer> {
    const server = await startPostgres({ settings: { ...settings, archive_mode: 'on', archive_command: '' } })
    const archive = path.join(path.dirname(server.dataDir), 'archive')
    await server.query(
      `alter system set archive_command = 'mkdir -p "${archive}" && cp "%p" "${archive}/%f"'`,
    )
    await server.query('select pg_reload_conf()')
    return new ArchivingServer(server, archive)
  }

  /** Copies the running server, for {@link restore}. */
  async backUp(): Promise<ServerHome> {
    const home = new ServerHome()
    try {
      await home.run('pg_basebackup', [
        ...['--pgdata', home.dataDir, '--dbname', this.server.url(), '--checkpoint', 'fast', '--no-sync'],
      ])
      return home
    } catch (error) {
      await home.remove()
      throw error
    }
  }

  /** Names this point in time. */
  async markPoint(name: string): Promise<void> {
    await this.server.query('select pg_create_restore_point($1)', [name])
  }

  /** Starts a backup, which replays the archive up to a point. Resolves when it accepts writes. */
  async restore(backup: ServerHome, point: string): Promise<PostgresServer> {
    const [row] = await this.server.query('select pg_walfile_name(pg_switch_wal()) as file')
    await eventually(
      async () => {
        const [archived] = await this.server.query(
          'select last_archived_wal >= $1 as done from pg_stat_archiver',
          [row!.file],
        )
        return archived?.done === true || null
      },
      { withinMs: RECOVERS_WITHIN_MS, what: 'the archive' },
    )
    backup.configure({
      archive_mode: 'off',
      restore_command: `cp "${this.#archive}/%f" "%p"`,
      recovery_target_name: point,
      recovery_target_action: 'promote',
    })
    const signal = path.join(backup.dataDir, 'recovery.signal')
    writeFileSync(signal, '')
    // The server opens it for writing.
    chmodSync(signal, 0o666)
    const restored = new PostgresServer(backup, await freePort())
    await restored.start()
    await eventually(
      async () => {
        const [{ recovering } = { recovering: true }] = await restored.query(
          'select pg_is_in_recovery() as recovering',
        )
        return recovering === false || null
      },
      { withinMs: RECOVERS_WITHIN_MS, what: 'the end of recovery' },
    )
    return restored
  }
}

/** Copies a database with a dump, into an empty one. */
export async function copyByDump(from: string, to: string): Promise<void> {
  const home = new ServerHome()
  try {
    const file = path.join(home.directory, 'dump.sql')
    await home.run('pg_dump', ['--dbname', from, '--file', file])
    await home.run('psql', ['--dbname', to, '--file', file, '--quiet', '--set', 'ON_ERROR_STOP=1'])
  } finally {
    await home.remove()
  }
}
