import pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { StoreUnavailableError } from '../storage.ts'
import type { Counter } from './counter.ts'
import { isReadOnly, isTransient, toStoreError } from './failures.ts'
import { parseDatabaseUrl, type Server, ServerChoice } from './servers.ts'
import { type Isolation, inTransaction, type Tx } from './transaction.ts'
import { types } from './types.ts'

/**
 * Connections of one node: what every delivery passes through has its own, so that no listing can make it wait.
 * With the one that listens, a node has at most this many and one more.
 */
const POOL_SIZES = { hot: 4, rest: 6 } as const
export type PoolName = keyof typeof POOL_SIZES

const CONNECT_WITHIN_MS = 5 * SECOND_MS
/** A connection that has gone silent is given up after this; the server ends what it is asked to do sooner. */
const CALL_WITHIN_MS = 8 * SECOND_MS
const STATEMENT_TIMEOUT_MS = 6 * SECOND_MS
/** What a node that fell silent had locked is free after this. */
const IDLE_IN_TRANSACTION_MS = 10 * SECOND_MS
const TRIES = 4

/**
 * Statements are written for their indexes. Left to itself the planner goes by statistics, which are always old for a
 * day that has just begun, and then reads a table from end to end that has grown a thousandfold since. A statement is
 * planned once: over a month of days that takes longer than to carry it out.
 */
const PLANNING = [
  'jit = off',
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
]

const CLIENT: pg.ClientConfig = {
  types,
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10 * SECOND_MS,
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  application_name: 'posthorn',
}

/** What is acknowledged survives a power cut, whatever the server's default is. */
const NEVER_UNSYNCED = `
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

export interface ConnectionSettings {
  /** May name several servers, of which one at a time can be written to. */
  readonly url: string
  /** Where the tables are. */
  readonly schema: string
}

export interface CallOptions {
  readonly pool: PoolName
  readonly isolation: Isolation
  /** For work that is known to take long: neither the client nor the server ends it early. */
  readonly patient?: boolean
}

/** The way to the server. */
export class Connections {
  readonly #settings: ConnectionSettings
  readonly #servers: ServerChoice
  readonly #clock: Clock
  readonly #pools: Readonly<Record<PoolName, pg.Pool>>
  readonly #made = new WeakMap<pg.ClientBase, number>()
  readonly #serverOf = new WeakMap<pg.ClientBase, Server>()
  readonly counter: Counter = { statements: 0, commits: 0 }
  /** Connections made earlier than this are not used any more: one like them was dead. */
  #trustedFrom = 0
  #closed = false

  constructor(settings: ConnectionSettings, clock: Clock) {
    const servers = parseDatabaseUrl(settings.url)
    if (servers === null) throw new Error('not the URL of a PostgreSQL database')
    this.#settings = settings
    this.#servers = new ServerChoice(servers)
    this.#clock = clock
    this.#pools = { hot: this.#pool(POOL_SIZES.hot), rest: this.#pool(POOL_SIZES.rest) }
  }

  /** Runs `work` in a transaction, again when the server asks for that. @throws StoreUnavailableError (rejects) */
  async call<Result>(options: CallOptions, work: (tx: Tx) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(options, work)
      } catch (error) {
        if (isTransient(error) && attempt < TRIES) continue
        throw toStoreError(error)
      }
    }
  }

  /** A connection outside the pools, for whoever keeps it. @throws StoreUnavailableError (rejects) */
  async dedicated(): Promise<pg.Client> {
    const server = this.#servers.current
    const client = new pg.Client({ ...CLIENT, connectionString: server.url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(sessionSettings(this.#settings.schema))
      return client
    } catch (error) {
      destroy(client)
      this.#servers.moveOn(server)
      throw toStoreError(error)
    }
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all(Object.values(this.#pools).map((pool) => pool.end()))
  }

  async #once<Result>(options: CallOptions, work: (tx: Tx) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new StoreUnavailableError('the store is closed')
    const client = await this.#acquire(options.pool)
    const deadline =
      options.patient === true
        ? null
        : this.#clock.after(CALL_WITHIN_MS, () => {
            this.#distrust()
            destroy(client)
          })
    let broken = false
    try {
      if (options.patient === true) await client.query('SET statement_timeout = 0')
      const onBroken = () => {
        broken = true
        this.#distrust()
      }
      return await inTransaction(client, options.isolation, { counter: this.counter, onBroken }, work)
    } catch (error) {
      if (isReadOnly(error)) {
        broken = true
        this.#distrust()
        this.#servers.moveOn(this.#serverOf.get(client)!)
      }
      throw error
    } finally {
      deadline?.cancel()
      client.release(broken || options.patient === true)
    }
  }

  async #acquire(name: PoolName): Promise<pg.PoolClient> {
    for (let refusals = 0; ; ) {
      const server = this.#servers.current
      try {
        const client = await this.#pools[name].connect()
        if ((this.#made.get(client) ?? 0) >= this.#trustedFrom) return client
        client.release(true)
      } catch (error) {
        this.#servers.moveOn(server)
        if (++refusals >= this.#servers.count) throw error
      }
    }
  }

  #distrust(): void {
    this.#trustedFrom = this.#clock.monotonic()
  }

  #pool(max: number): pg.Pool {
    const choose = () => this.#servers.current
    const serverOf = this.#serverOf
    const pool = new pg.Pool({
      ...CLIENT,
      max,
      Client: class extends pg.Client {
        constructor(config: pg.ClientConfig) {
          const server = choose()
          super({ ...config, connectionString: server.url })
          serverOf.set(this, server)
        }
      } as never,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      idleTimeoutMillis: 60 * SECOND_MS,
    })
    // The pool lets go of an idle connection that fails; whoever comes next gets another.
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      // Whoever uses it then is told by the statement that fails.
      client.on('error', () => {})
      this.#made.set(client, this.#clock.monotonic())
      // Sent before anything else on this connection; should it fail, so does what follows.
      client.query(sessionSettings(this.#settings.schema)).catch(() => {})
    })
    return pool
  }
}

function sessionSettings(schema: string): string {
  const settings = [
    `search_path = ${pg.escapeIdentifier(schema)}`,
    `statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
    `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    'client_encoding = UTF8',
    ...PLANNING,
  ]
  return [...settings.map((setting) => `SET ${setting}`), NEVER_UNSYNCED].join(';')
}

/** Ends a connection without a word: there may be nobody to hear it. */
function destroy(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
