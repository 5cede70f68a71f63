import { connect } from 'node:net'
import pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { StoreUnavailableError } from '../storage.ts'
import { isPoolBusy, isReadOnly, isTransient, toStoreError } from './failures.ts'
import { parseDatabaseUrl, placeOf, type Server, ServerChoice, UnreachableError } from './servers.ts'
import { type Counter, type Isolation, inTransaction, type Tx } from './transaction.ts'
import { types } from './values.ts'

/**
 * Connections of one node. Calls of the hot path have a pool of their own, so that no list delays them. One more connection
 * listens to notifications.
 */
const POOL_SIZES = { hot: 4, rest: 6 } as const
/** Of the pool `rest`, one workspace may use this many: others, and the node's own work, need some. */
export const MOST_OF_WORKSPACE = 4
export type PoolName = keyof typeof POOL_SIZES

const CONNECT_WITHIN_MS = 3 * SECOND_MS
/** A call fails after this, including its wait for a connection; the server ends each statement sooner. */
export const CALL_WITHIN_MS = 6 * SECOND_MS
const STATEMENT_TIMEOUT_MS = 5 * SECOND_MS
/** The server frees the locks of a silent node after this. */
const IDLE_IN_TRANSACTION_MS = 10 * SECOND_MS
const CLOSE_IDLE_AFTER_MS = 60 * SECOND_MS
/** The server closes sessions that are idle for longer than this node keeps a connection: their client is gone. */
const IDLE_SESSION_MS = 2 * CLOSE_IDLE_AFTER_MS
const TRIES = 4
/** If no server can be reached, or none accepts writes, the next search begins after this: they may be starting. */
const REST_MS = 250
const GOODBYE_WITHIN_MS = SECOND_MS

/**
 * Statements are written for their indexes. By default the planner relies on statistics, which are outdated for a day that has
 * just begun, and then scans a table that has grown a thousandfold since. A statement is planned once: with a month of days,
 * planning takes longer than execution.
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

/** An acknowledged event survives a power cut, whatever the server's default is. */
const NEVER_UNSYNCED = `
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

export interface ConnectionSettings {
  /** May name several servers, one of which accepts writes at a time. */
  readonly url: string
  /** Where the tables are. */
  readonly schema: string
}

export interface CallOptions {
  readonly pool: PoolName
  readonly isolation: Isolation
  /** For long work: neither the client nor the server ends it early. */
  readonly noTimeout?: boolean
}

/** The server of a connection, and since when it has been open, in monotonic time. */
interface KeptConnection {
  readonly server: Server
  readonly connectedAt: number
}

/** The connections to the server. */
export class Connections {
  readonly #settings: ConnectionSettings
  readonly #servers: ServerChoice
  readonly #clock: Clock
  readonly #pools: Readonly<Record<PoolName, pg.Pool>>
  readonly #kept = new Map<pg.ClientBase, KeptConnection>()
  readonly counter: Counter = { statements: 0, commits: 0 }
  /** Connections opened before this are not used any more: one of them was dead. */
  #trustedFrom = 0
  /** Why no server can be reached, and until when that is assumed. */
  #unreachable: { readonly until: number; readonly reason: UnreachableError } | null = null
  /** Until when it is assumed that no server accepts writes. */
  #readOnlyUntil = 0
  #closed = false

  constructor(settings: ConnectionSettings, clock: Clock) {
    const servers = parseDatabaseUrl(settings.url)
    if (servers === null) throw new Error('not the URL of a PostgreSQL database')
    this.#settings = settings
    this.#servers = new ServerChoice(servers)
    this.#clock = clock
    this.#pools = { hot: this.#pool(POOL_SIZES.hot), rest: this.#pool(POOL_SIZES.rest) }
  }

  /** The location of the database, for people; without credentials. */
  get place(): string {
    return placeOf(this.#settings.url)
  }

  /** Runs `work` in a transaction, and retries it when the server asks for that. @throws StoreUnavailableError (rejects) */
  async call<Result>(options: CallOptions, work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const deadline =
      this.#clock.monotonic() + (options.noTimeout === true ? Number.POSITIVE_INFINITY : CALL_WITHIN_MS)
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.#once(options, deadline, work)
        if (options.isolation === 'write') this.#readOnlyUntil = 0
        return result
      } catch (error) {
        if (attempt < this.#triesWorth(error) && this.#clock.monotonic() < deadline) continue
        if (isReadOnly(error) && !this.#knownReadOnly) this.#readOnlyUntil = this.#clock.monotonic() + REST_MS
        throw toStoreError(error)
      }
    }
  }

  /** A connection outside the pools, which the caller owns and closes. @throws StoreUnavailableError (rejects) */
  async dedicated(): Promise<pg.Client> {
    const server = this.#servers.current
    const client = new pg.Client({ ...CLIENT, connectionString: server.url })
    this.#keep(client, server)
    try {
      await client.connect()
      await client.query(sessionSettings(this.#settings.schema))
      return client
    } catch (error) {
      endAtOnce(client)
      this.#servers.moveOn(server)
      throw new UnreachableError(new Map([[server, error]]))
    }
  }

  /** Waits for work in progress. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all(Object.values(this.#pools).map((pool) => pool.end()))
    const open = [...this.#kept.keys()]
    // A server that does not answer must not delay the end of this process.
    const patience = this.#clock.after(GOODBYE_WITHIN_MS, () => open.forEach(endAtOnce))
    await Promise.all(open.map((client) => new Promise<void>((gone) => client.once('end', gone))))
    patience.cancel()
  }

  async #once<Result>(
    options: CallOptions,
    deadline: number,
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    if (this.#closed) throw new StoreUnavailableError('the store is closed')
    const client = await this.#acquire(options.pool, deadline)
    const { server } = this.#kept.get(client)!
    const acquiredAt = this.#clock.monotonic()
    let [late, broken] = [false, false]
    const onBroken = () => {
      broken = true
      // Connections made since then are not affected.
      this.#trustedFrom = Math.max(this.#trustedFrom, acquiredAt)
    }
    const patience = Number.isFinite(deadline)
      ? this.#clock.after(deadline - acquiredAt, () => {
          late = true
          onBroken()
          endAtOnce(client)
          // The server may hold locks, and does not notice the closed connection while it waits itself.
          cancelRequest(client)
        })
      : null
    try {
      if (options.noTimeout === true) await client.query('SET statement_timeout = 0')
      return await inTransaction(client, options.isolation, { counter: this.counter, onBroken }, work)
    } catch (error) {
      if (isReadOnly(error) && !this.#knownReadOnly) {
        onBroken()
        this.#servers.moveOn(server)
      }
      throw late
        ? new StoreUnavailableError(`the database did not answer within ${CALL_WITHIN_MS} ms`)
        : error
    } finally {
      patience?.cancel()
      client.release(broken || options.noTimeout === true)
    }
  }

  /** A session may still be read-only although its server no longer is: a new session is tried before this is assumed. */
  #triesWorth(error: unknown): number {
    if (isTransient(error)) return TRIES
    return isReadOnly(error) && !this.#knownReadOnly ? this.#servers.count + 1 : 1
  }

  get #knownReadOnly(): boolean {
    return this.#clock.monotonic() < this.#readOnlyUntil
  }

  async #acquire(name: PoolName, deadline: number): Promise<pg.PoolClient> {
    const pool = this.#pools[name]
    const failures = new Map<Server, unknown>()
    for (let refusals = 1; ; ) {
      if (this.#unreachable !== null && this.#clock.monotonic() < this.#unreachable.until)
        throw this.#unreachable.reason
      const server = this.#servers.current
      try {
        const client = await pool.connect()
        if (this.#isTrusted(client)) return client
        endAtOnce(client)
        client.release(true)
      } catch (error) {
        if (isPoolBusy(error)) throw error
        this.#servers.moveOn(server)
        failures.set(server, error)
        const now = this.#clock.monotonic()
        if (refusals++ < this.#servers.count && now + CONNECT_WITHIN_MS < deadline) continue
        const reason = new UnreachableError(failures)
        if (pool.totalCount === 0) this.#unreachable = { until: now + REST_MS, reason }
        throw reason
      }
    }
  }

  /** A connection that ended while it was handed over does not count. */
  #isTrusted(client: pg.ClientBase): boolean {
    const kept = this.#kept.get(client)
    return kept !== undefined && kept.connectedAt >= this.#trustedFrom
  }

  #keep(client: pg.ClientBase, server: Server): void {
    this.#kept.set(client, { server, connectedAt: Number.NEGATIVE_INFINITY })
    client.once('connect', () => {
      this.#kept.set(client, { server, connectedAt: this.#clock.monotonic() })
    })
    client.once('end', () => this.#kept.delete(client))
    // The statement that is under way fails with the same error.
    client.on('error', () => {})
  }

  #pool(max: number): pg.Pool {
    const choose = () => this.#servers.current
    const keep = (client: pg.ClientBase, server: Server) => this.#keep(client, server)
    const pool = new pg.Pool({
      ...CLIENT,
      max,
      Client: class extends pg.Client {
        constructor(config: pg.ClientConfig) {
          const server = choose()
          super({ ...config, connectionString: server.url })
          keep(this as pg.Client, server)
        }
      } as never,
      idleTimeoutMillis: CLOSE_IDLE_AFTER_MS,
    })
    // The pool drops an idle connection that fails; the next call gets another.
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      // Sent before anything else on this connection; if it fails, so do the following statements.
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
    `idle_session_timeout = ${IDLE_SESSION_MS}`,
    // A database or a role may set these to formats that this program does not read and write.
    'client_encoding = UTF8',
    'bytea_output = hex',
    'array_nulls = on',
    ...PLANNING,
  ]
  return [...settings.map((setting) => `SET ${setting}`), NEVER_UNSYNCED].join(';')
}

/** Closes a connection without the protocol's goodbye, which the server may not receive. */
export function endAtOnce(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

/** From the protocol; the process and its secret key follow it. */
const CANCEL_REQUEST_CODE = 80_877_102
const CANCEL_TIMEOUT_MS = 5 * SECOND_MS

/** The server process of a connection, as the client knows it. */
interface Peer {
  /** For a socket of the server, its directory. */
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | null
}

/**
 * Asks the server, over another connection, to cancel the current statement of this one. There is no answer, and the request
 * may get lost: it is sent only so that the server releases locks sooner.
 */
export function cancelRequest(client: pg.ClientBase): void {
  const { host, port, processID, secretKey } = client as unknown as Peer
  if (processID === null || secretKey === null) return
  const message = Buffer.alloc(16)
  message.writeInt32BE(message.length, 0)
  message.writeInt32BE(CANCEL_REQUEST_CODE, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const socket = connect(place, () => socket.end(message))
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy())
  socket.on('error', () => {})
  socket.unref()
}
