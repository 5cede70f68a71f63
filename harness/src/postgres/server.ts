import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/freePort.ts'
import { eventually, within } from '../support/waiting.ts'
import { createDatabase, dropDatabase } from './databases.ts'
import { query, type Row } from './query.ts'
import { type PostgresSettings, ServerHome } from './serverHome.ts'

/** The superuser of every server; no password is needed. */
const SUPERUSER = 'posthorn'
const START_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 60_000
const RETRY_AFTER_MS = 50

/**
 * `smart` waits for clients to disconnect, `fast` ends their transactions, `immediate` leaves recovery to the
 * next start.
 */
export type StopMode = 'smart' | 'fast' | 'immediate'

const SIGNALS: Readonly<Record<StopMode, NodeJS.Signals>> = {
  smart: 'SIGTERM',
  fast: 'SIGINT',
  immediate: 'SIGQUIT',
}

interface Run {
  readonly child: ChildProcess
  readonly exited: Promise<void>
}

const LOOPBACK = '127.0.0.1'

/** A network besides the loopback interface, in which no password is needed. */
export interface TrustedNetwork {
  /** This machine's address in it. */
  readonly address: string
  /** As a CIDR. */
  readonly range: string
}

/**
 * A PostgreSQL server with its own port, which stays the same over all restarts. It ends with this process.
 */
export class PostgresServer {
  readonly #home: ServerHome
  readonly #addresses: string
  #port: number
  #run: Run | null = null
  #hasServed = false

  /** @param home with a data directory that is ready to use */
  constructor(home: ServerHome, port: number, network: TrustedNetwork | null = null) {
    this.#home = home
    this.#addresses = [LOOPBACK, ...(network === null ? [] : [network.address])].join()
    this.#port = port
  }

  get dataDir(): string {
    return this.#home.dataDir
  }

  get port(): number {
    return this.#port
  }

  /** Of the postmaster. @throws Error while it is not running */
  get pid(): number {
    if (this.#run === null) throw new Error('the PostgreSQL server does not run')
    return this.#run.child.pid!
  }

  /** Its complete output, over all runs. */
  get log(): string {
    return this.#home.log()
  }

  url(database = 'postgres'): string {
    return `postgresql://${SUPERUSER}@${LOOPBACK}:${this.#port}/${encodeURIComponent(database)}`
  }

  /** Runs one statement in its own connection. */
  query(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return query(this.url(), sql, values)
  }

  /** @returns the URL of the new, empty database */
  createDatabase(name: string): Promise<string> {
    return createDatabase(this.url(), name)
  }

  dropDatabase(name: string): Promise<void> {
    return dropDatabase(this.url(), name)
  }

  /**
   * Starts it if it is not running. Resolves when it answers. @throws Error with its output when it ends
   * instead
   */
  async start(): Promise<void> {
    if (this.#run !== null) return
    const deadline = performance.now() + START_WITHIN_MS
    for (;;) {
      const complaint = await this.#serve()
      if (complaint === null) return
      if (performance.now() > deadline || !(await this.#clearTheWay(complaint))) {
        throw new Error(`PostgreSQL did not start: ${complaint}`)
      }
      await sleep(RETRY_AFTER_MS)
    }
  }

  /** Resolves when it has ended; does nothing if it is not running. */
  async stop(mode: StopMode = 'fast'): Promise<void> {
    await this.#end(SIGNALS[mode])
  }

  async restart(mode: StopMode = 'fast'): Promise<void> {
    await this.stop(mode)
    await this.start()
  }

  /** Kills the postmaster. Connections notice a moment later: a running statement may still be committed. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Promotes a replica to a primary. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    const [row] = await this.query('select pg_promote() as promoted')
    if (row?.promoted !== true) throw new Error('the replica was not promoted in time')
  }

  /** Stops it and deletes its data. */
  async remove(): Promise<void> {
    await this.stop('immediate')
    await this.#home.remove()
  }

  /** @returns `null` when it answers, its output when it has ended instead */
  async #serve(): Promise<string | null> {
    const before = this.log.length
    const listening = ['-h', this.#addresses, '-p', String(this.#port), '-c', 'unix_socket_directories=']
    const child = await this.#home.spawn('postgres', ['-D', this.dataDir, ...listening])
    const run: Run = {
      child,
      exited: once(child, 'exit').then(() => {
        this.#run = null
      }),
    }
    this.#run = run
    try {
      const served = await eventually(
        async () => (this.#run !== run ? { ended: true } : (await this.#answers()) ? { ended: false } : null),
        { withinMs: START_WITHIN_MS, what: 'start of PostgreSQL' },
      )
      if (served.ended) return this.log.slice(before)
    } catch (error) {
      await this.kill()
      throw error
    }
    this.#hasServed = true
    return null
  }

  /** Checks the data directory, since another server may have got the port. */
  async #answers(): Promise<boolean> {
    try {
      const [row] = await this.query('show data_directory')
      return row?.data_directory === this.dataDir
    } catch {
      return false
    }
  }

  /** @returns whether another start may succeed */
  async #clearTheWay(complaint: string): Promise<boolean> {
    if (complaint.includes('lock file "postmaster.pid" already exists')) {
      // Ours has certainly ended, so another process has its id by now.
      rmSync(path.join(this.dataDir, 'postmaster.pid'))
      return true
    }
    if (complaint.includes('Address already in use')) {
      if (!this.#hasServed) this.#port = await freePort()
      return true
    }
    // Connections of a killed postmaster are still ending.
    return complaint.includes('pre-existing shared memory block')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#run === null) return
    const { child, exited } = this.#run
    child.kill(signal)
    await within(exited, STOP_WITHIN_MS, `end of PostgreSQL by ${signal}`)
  }
}

/**
 * Loses committed rows when the machine stops, not when the server does; visibility of commits does not
 * change.
 */
export const FAST_SETTINGS: PostgresSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
}

/**
 * Starts an empty server.
 * @param settings none by default: every commit is durable
 * @param environment variables for its programs
 * @param parent of its directory; see {@link ServerHome}
 */
export async function startPostgres({
  settings = {},
  network = null,
  environment = {},
  parent = null,
}: {
  settings?: PostgresSettings
  network?: TrustedNetwork | null
  environment?: Readonly<Record<string, string>>
  parent?: string | null
} = {}): Promise<PostgresServer> {
  const home = new ServerHome(environment, parent)
  try {
    await home.run('initdb', [
      ...['--pgdata', home.dataDir, '--username', SUPERUSER, '--auth', 'trust'],
      ...['--no-locale', '--encoding', 'UTF8', '--no-sync', '--no-instructions'],
    ])
    home.configure(settings)
    if (network !== null) home.trust(network.range)
    const server = new PostgresServer(home, await freePort(), network)
    await server.start()
    return server
  } catch (error) {
    await home.remove()
    throw error
  }
}
