import { createHash } from 'node:crypto'
import type pg from 'pg'
import { StoreUnavailableError } from '../storage.ts'
import { sqlState } from './failures.ts'

/** Statements of one transaction, which the server executes in the order of the calls. */
export interface Tx {
  /** @returns the rows. Later statements may be called before it resolves, and are sent immediately. */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** @returns the first row, if any */
  row<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row | undefined>
  /** @returns how many rows it changed */
  run(sql: string, values?: readonly unknown[]): Promise<number>
  /** Runs a constant text that may contain several statements. */
  command(sql: string): Promise<string>
  /**
   * Sends the commit right after the statements so far, which saves a round trip. No statement may follow. Everything is
   * committed unless a statement fails, whatever the answers contain. Call {@link onDoubt} before.
   */
  endHere(): void
  /** Runs once the transaction has committed, before the caller gets the result. */
  onCommit(done: () => void): void
  /**
   * Runs when the transaction may have committed but its caller gets no result: the connection broke after the commit was sent,
   * or the work failed after it.
   */
  onDoubt(undo: () => void): void
}

export type Isolation = 'none' | 'snapshot' | 'write'

const BEGIN: Record<Exclude<Isolation, 'none'>, string> = {
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  /** Whatever the server's default is: a read after a lock must see what was committed before the lock was taken. */
  write: 'BEGIN ISOLATION LEVEL READ COMMITTED',
}

/** Names of prepared statements by their text; all are constants of this program, so they are few. */
const names = new Map<string, string>()

/**
 * Derived only from the text: if a pooler hands a server connection from one node to another, a prepared name always means the
 * same statement.
 */
function nameOf(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = `posthorn_${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`
    names.set(sql, name)
  }
  return name
}

/** PostgreSQL's texts cannot hold NUL. Stored texts were checked before; a search for one with NUL finds nothing. */
function checked(value: unknown): unknown {
  if (value === undefined) throw new TypeError('a value of a statement is missing')
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value
}

/**
 * Runs `work` in one transaction of a connection that is not used elsewhere at the time. With `none` each statement is its own
 * transaction.
 * @param onBroken called when the connection, and not the server, has failed a statement
 * @throws whatever `work` or the server throws; the transaction is then rolled back, except in the doubt that {@link
 *   Tx.onDoubt} is for. StoreUnavailableError when `work` failed and everything was committed: an immediate retry would do it
 *   twice
 */
export async function inTransaction<Result>(
  client: pg.ClientBase,
  isolation: Isolation,
  { counter, onBroken }: { readonly counter: Counter; readonly onBroken: () => void },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const tx = new ClientTx(client, counter, onBroken)
  if (isolation === 'none') {
    const done = await work(tx)
    tx.committed()
    return done
  }
  // Sent with the first statement of the work, which saves a round trip.
  const begun = tx.command(BEGIN[isolation])
  begun.catch(() => {})
  let result: Result
  try {
    result = await work(tx)
    await begun
  } catch (error) {
    if (!(await tx.abandon())) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreUnavailableError(`the change was stored, but then: ${reason}`, { cause: error })
  }
  if (isolation === 'snapshot') {
    await tx.end('COMMIT')
    return result
  }
  await tx.commit()
  return result
}

class ClientTx implements Tx {
  readonly #client: pg.ClientBase
  readonly #counter: Counter
  readonly #onCommit: (() => void)[] = []
  readonly #onDoubt: (() => void)[] = []
  readonly #onBroken: () => void
  #committing: Promise<string> | null = null
  #ended = false

  constructor(client: pg.ClientBase, counter: Counter, onBroken: () => void) {
    this.#client = client
    this.#counter = counter
    this.#onBroken = onBroken
  }

  async rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#query<Row>(sql, values)).rows
  }

  async row<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row | undefined> {
    return (await this.#query<Row>(sql, values)).rows[0]
  }

  async run(sql: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0
  }

  endHere(): void {
    this.#committing = this.end('COMMIT')
    this.#committing.catch(() => {})
  }

  onCommit(done: () => void): void {
    this.#onCommit.push(done)
  }

  onDoubt(undo: () => void): void {
    this.#onDoubt.push(undo)
  }

  async command(sql: string): Promise<string> {
    return (await this.#ask({ text: sql })).command
  }

  /** No statement may follow: it would run outside the transaction. */
  end(sql: 'COMMIT' | 'ROLLBACK'): Promise<string> {
    const ending = this.command(sql)
    this.#ended = true
    return ending
  }

  async commit(): Promise<void> {
    let command: string
    try {
      this.#committing ??= this.end('COMMIT')
      command = await this.#committing
    } catch (error) {
      this.#doubt()
      throw error
    }
    // A statement failed that the work did not wait for.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
    this.#counter.commits += 1
    this.committed()
  }

  /**
   * After a failure. If the commit was already sent, the server's answer shows its result.
   * @returns whether it was committed
   */
  async abandon(): Promise<boolean> {
    try {
      if (this.#committing === null) {
        await this.end('ROLLBACK')
        return false
      }
      await this.commit()
    } catch {
      return false
    }
    this.#doubt()
    return true
  }

  committed(): void {
    for (const done of this.#onCommit) done()
  }

  #doubt(): void {
    for (const undo of this.#onDoubt) undo()
  }

  #query<Row extends object>(sql: string, values: readonly unknown[]) {
    return this.#ask<Row>({ name: nameOf(sql), text: sql, values: values.map(checked) })
  }

  #ask<Row extends object>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.#ended) return Promise.reject(new Error('the transaction has ended'))
    this.#counter.statements += 1
    const asked = this.#client.query<Row>(query)
    // Of several statements sent at once, the work awaits the first that fails; the others fail with it.
    asked.catch((error: unknown) => {
      if (sqlState(error) === null) this.#onBroken()
    })
    return asked
  }
}

/** What the driver has sent to the server since it was opened. */
export interface Counter {
  statements: number
  /** Committed transactions with writes. */
  commits: number
}
