import pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { HOUR_MS, SECOND_MS } from '../../core/duration.ts'
import {
  type FailedRow,
  type FailedSelection,
  MOST_LISTED_COUNTED,
  MOST_WORKSPACES_LISTED,
  type Outbox,
  type OutboxSession,
  OutboxUnavailableError,
  OutboxUnusableError,
  type WaitingWorkspace,
} from '../source.ts'
import { SHARDS } from './layout.ts'
import { PostgresSession } from './session.ts'
import { type Statements, statementsFor } from './statements.ts'

const CONNECT_WITHIN_MS = 5 * SECOND_MS
const STATEMENT_TIMEOUT_MS = 10 * SECOND_MS
const QUERY_TIMEOUT_MS = 15 * SECOND_MS
const ADOPT_WITHIN_MS = HOUR_MS
const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard)
/** Waiting rows are dropped in steps, each of which takes less than a second. */
const ROWS_PER_DROP = 5_000
/** A relay repeats work that is lost when the server crashes, so it need not wait for the disk. */
const SESSION_SETTINGS = [
  'SET synchronous_commit = off',
  `SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  'SET idle_in_transaction_session_timeout = 10000',
  "SET default_transaction_isolation = 'read committed'",
  'SET jit = off',
  // Statistics of partitions that were just emptied would mislead the planner.
  'SET plan_cache_mode = force_generic_plan',
  'SET enable_seqscan = off',
  'SET enable_bitmapscan = off',
].join(';')

const UNDEFINED_COLUMN = '42703'
const UNDEFINED_TABLE = '42P01'
const UNDEFINED_SCHEMA = '3F000'
const INSUFFICIENT_PRIVILEGE = '42501'
/** Not allowed to log in, wrong password, no such database. */
const REJECTED_LOGIN = new Set(['28000', '28P01', '3D000'])

/** The outbox in a producer's PostgreSQL. */
export class PostgresOutbox implements Outbox {
  readonly #url: string
  readonly #schema: string
  readonly #sql: Statements
  readonly #clock: Clock

  constructor(params: { readonly url: string; readonly schema: string; readonly clock: Clock }) {
    this.#url = params.url
    this.#schema = params.schema
    this.#clock = params.clock
    this.#sql = statementsFor(params.schema)
  }

  get place(): string {
    const { host, port, database } = new pg.Client({ connectionString: this.#url })
    return `${host}:${port}/${database}`
  }

  async open(relay: string): Promise<OutboxSession> {
    const client = await this.#connect()
    try {
      await this.#adopt(client)
      const session = new PostgresSession(client, this.#sql, this.#clock, relay)
      await session.start()
      return session
    } catch (error) {
      await client.end().catch(() => {})
      throw error instanceof pg.DatabaseError ? this.#explained(error) : error
    }
  }

  async failed(selection: FailedSelection, limit: number): Promise<readonly FailedRow[]> {
    const { rows } = await this.#once<{
      position: string
      workspace: string
      event: string
      reason: string
      emitted_at: number
      failed_at: number
    }>(this.#sql.failed, [selection.workspace, selection.ids, limit])
    return rows.map(({ emitted_at, failed_at, ...row }) => ({
      ...row,
      emittedAt: emitted_at,
      failedAt: failed_at,
    }))
  }

  async retry({ workspace, ids }: FailedSelection): Promise<number> {
    return (await this.#once(this.#sql.retry, [workspace, ids])).rowCount ?? 0
  }

  async drop({ workspace, ids }: FailedSelection): Promise<number> {
    return (await this.#once(this.#sql.drop, [workspace, ids])).rowCount ?? 0
  }

  async waiting(workspace: string | null): Promise<readonly WaitingWorkspace[]> {
    const listed = `${this.#sql.workspacesWaiting} LIMIT ${MOST_WORKSPACES_LISTED}`
    return this.#withClient(async (client) => {
      const names =
        workspace === null
          ? (await client.query<{ workspace: string }>(listed, [ALL_SHARDS])).rows.map((row) => row.workspace)
          : [workspace]
      const most = Math.floor(MOST_LISTED_COUNTED / Math.max(names.length, 1))
      const { rows } = await client.query<{
        workspace: string
        rows: number
        emitted_at: number
        reason: string
      }>(this.#sql.waitingOf, [names, most])
      return rows.map(({ emitted_at, ...row }) => ({
        ...row,
        isMore: row.rows === most,
        emittedAt: emitted_at,
      }))
    })
  }

  async dropWaiting(workspace: string): Promise<number> {
    return this.#withClient(async (client) => {
      const {
        rows: [last],
      } = await client.query<{ position: string | null }>(this.#sql.lastWaiting, [workspace])
      let count = 0
      let after = '0'
      for (;;) {
        const values = [workspace, after, last!.position, ROWS_PER_DROP]
        const { rows } = await client.query<{ position: string }>(this.#sql.dropWaiting, values)
        if (rows.length === 0) return count
        count += rows.length
        for (const { position } of rows) if (BigInt(position) > BigInt(after)) after = position
      }
    })
  }

  async #once<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    return this.#withClient((client) => client.query<Row>(text, values))
  }

  /** For commands: their results must survive a crash of the server. */
  async #withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    try {
      await client.query('SET synchronous_commit = on')
      return await work(client)
    } catch (error) {
      throw this.#explained(error)
    } finally {
      await client.end()
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND_MS,
      // The server may disappear without closing the connection.
      query_timeout: QUERY_TIMEOUT_MS,
      pipeline: true,
      application_name: 'posthorn-outbox',
    } as pg.ClientConfig)
    // The statement in progress, or the next one, rejects.
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(SESSION_SETTINGS)
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: string }
      if (code !== undefined && REJECTED_LOGIN.has(code))
        throw new OutboxUnusableError(`${this.place} rejects the relay: ${message}`)
      // Where a name has several addresses, the message is empty.
      throw new OutboxUnavailableError(`${this.place} cannot be reached: ${message || code}`)
    }
    return client
  }

  /** Makes rows that were restored from elsewhere look new: their transaction ids mean nothing here. */
  async #adopt(client: pg.Client): Promise<void> {
    if (await this.#isOwn(client)) return
    await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL enable_seqscan = on')
    const slowly = (text: string) => client.query({ text, query_timeout: ADOPT_WITHIN_MS } as pg.QueryConfig)
    await slowly(this.#sql.lockProducersOut)
    // Another relay may have done it in the meantime.
    if (!(await this.#isOwn(client))) for (const text of this.#sql.adopt) await slowly(text)
    await client.query('COMMIT')
  }

  async #isOwn(client: pg.Client): Promise<boolean> {
    try {
      const { rows } = await client.query<{ own: boolean }>(this.#sql.isOwn)
      return rows[0]?.own ?? false
    } catch (error) {
      throw this.#explained(error)
    }
  }

  #explained(error: unknown): unknown {
    const { code, message } = error as pg.DatabaseError
    if (code === UNDEFINED_COLUMN)
      return new OutboxUnusableError(
        `${this.place} has an outbox of another release of Posthorn: run the output of \`posthorn outbox sql\` there again`,
      )
    if (code === UNDEFINED_TABLE || code === UNDEFINED_SCHEMA)
      return new OutboxUnusableError(
        `${this.place} has no outbox in the schema ${this.#schema}: run the output of \`posthorn outbox sql\` there`,
      )
    if (code === INSUFFICIENT_PRIVILEGE) return new OutboxUnusableError(`${this.place}: ${message}`)
    return new OutboxUnavailableError(`${this.place}: ${message}`)
  }
}
