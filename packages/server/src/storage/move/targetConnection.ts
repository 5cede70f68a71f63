import type pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { Connections } from '../postgres/connections.ts'
import { toStoreError } from '../postgres/failures.ts'
import { Locks } from '../postgres/locks.ts'
import { Partitions } from '../postgres/partitions.ts'
import { parseDatabaseUrl, refusalOf } from '../postgres/servers.ts'
import { inTransaction, type Tx } from '../postgres/transaction.ts'
import { StoreOpenError } from '../storage.ts'

/**
 * A move has no timeouts. Its commits need not wait for the disk, since rows and progress would be lost together; the last
 * commit does wait, and makes all others durable.
 */
const SETTINGS = 'SET statement_timeout = 0; SET idle_session_timeout = 0; SET synchronous_commit = off'

const sql = { standby: 'SELECT pg_is_in_recovery() AS standby' }

/** The connection to the target database of a move, kept for the whole move. */
export class TargetConnection {
  readonly connections: Connections
  readonly locks: Locks
  readonly partitions: Partitions
  readonly schema: string
  readonly #client: pg.Client
  readonly #counter = { statements: 0, commits: 0 }

  private constructor(connections: Connections, client: pg.Client, schema: string) {
    this.connections = connections
    this.#client = client
    this.schema = schema
    this.locks = new Locks(schema)
    this.partitions = new Partitions(connections, this.locks)
  }

  /** @param url the first server that accepts writes is used @throws StoreOpenError (rejects) */
  static async open(url: string, schema: string, clock: Clock): Promise<TargetConnection> {
    const refusals: string[] = []
    for (const server of parseDatabaseUrl(url)!) {
      const connections = new Connections({ url: server.url, schema }, clock)
      try {
        const target = new TargetConnection(connections, await connections.dedicated(), schema)
        const found = await target.read((tx) => tx.row<{ standby: boolean }>(sql.standby))
        if (!found!.standby) {
          await target.#client.query(SETTINGS)
          return target
        }
        await target.close()
        refusals.push(refusalOf(server.url, new Error('it is a read-only standby')))
      } catch (error) {
        await connections.close()
        refusals.push(refusalOf(server.url, error))
      }
    }
    throw new StoreOpenError(`the database cannot be used: ${refusals.join('; ')}`)
  }

  /** Statements without a common transaction. @throws StoreUnavailableError (rejects) */
  read<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#run('none', work)
  }

  /** One transaction. @throws StoreUnavailableError (rejects) */
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#run('write', work)
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {})
    await this.connections.close()
  }

  async #run<Result>(isolation: 'none' | 'write', work: (tx: Tx) => Promise<Result>): Promise<Result> {
    try {
      return await inTransaction(
        this.#client,
        isolation,
        { counter: this.#counter, onBroken: () => {} },
        work,
      )
    } catch (error) {
      throw error instanceof StoreOpenError ? error : toStoreError(error)
    }
  }
}
