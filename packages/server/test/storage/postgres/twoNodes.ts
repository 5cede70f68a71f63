import type pg from 'pg'
import { systemClock } from '../../../src/core/clock.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts'
import { type FlatStorage, flat } from '../../support/flatStorage.ts'
import { newTestSchema, type TestSchema } from '../../support/testSchema.ts'
import type { TestStore } from '../../support/testStore.ts'

/** One store in its own schema, open on two nodes. */
export class TwoNodes {
  readonly nodes: readonly [FlatStorage, FlatStorage]
  readonly #schema: TestSchema
  /** A separate observer. */
  readonly #watcher: pg.Client

  private constructor(nodes: readonly [FlatStorage, FlatStorage], schema: TestSchema, watcher: pg.Client) {
    this.nodes = nodes
    this.#schema = schema
    this.#watcher = watcher
  }

  static async open(): Promise<TwoNodes> {
    const schema = await newTestSchema()
    const open = async () =>
      flat(await openPostgresStorage({ url: schema.url, schema: schema.name, clock: systemClock }))
    return new TwoNodes([await open(), await open()], schema, await schema.connect())
  }

  /** The part of each node that an engine uses. The store stays until {@link close}. */
  get stores(): readonly [TestStore, TestStore] {
    const [first, second] = this.nodes
    const remove = async () => {}
    return [
      { storage: first, remove },
      { storage: second, remove },
    ]
  }

  /** Makes `count` concurrent calls, every other one on the second node. */
  atOnce<Result>(count: number, call: (node: FlatStorage, at: number) => Promise<Result>): Promise<Result[]> {
    return Promise.all(Array.from({ length: count }, (_, at) => call(this.nodes[at % 2]!, at)))
  }

  /** The only column of a statement's rows. */
  async values(statement: string): Promise<unknown[]> {
    return (await this.#watcher.query({ text: statement, rowMode: 'array' })).rows.map(([value]) => value)
  }

  /** Makes a call while another transaction has executed `statement` and has not ended. */
  holding<Result>(statement: string, call: () => Promise<Result>): Promise<Result> {
    return this.#beside(statement, async () => await call())
  }

  /**
   * The same for a call that must wait: the other transaction ends as soon as it does.
   * @param last statement of the other transaction before its end
   */
  async during<Result>(statement: string, call: () => Promise<Result>, last = 'SELECT'): Promise<Result> {
    const calling = await this.#beside(statement, async (pid, other) => {
      let ended = false
      const made = call().finally(() => {
        ended = true
      })
      made.catch(() => {})
      while (!(await this.#isWaitedFor(pid))) if (ended) throw new Error('the call waited for no other')
      await other.query(last)
      return { made }
    })
    return calling.made
  }

  /**
   * Makes calls that must all wait, for another transaction that has executed `statement` or for one another:
   * each once the earlier ones wait. Then the other transaction ends.
   */
  async inLine(statement: string, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
    const made = await this.#beside(statement, async (pid) => {
      const ended: unknown[] = []
      const begun: Promise<unknown>[] = []
      for (const call of calls) {
        begun.push(call().finally(() => ended.push(call)))
        begun.at(-1)!.catch(() => {})
        while ((await this.#behind(pid)) < begun.length)
          if (ended.length > 0) throw new Error('a call waited for no other')
      }
      return begun
    })
    await Promise.all(made)
  }

  /** @param work gets the server process of the transaction */
  async #beside<Result>(
    statement: string,
    work: (pid: number, other: pg.Client) => Promise<Result>,
  ): Promise<Result> {
    const other = await this.#schema.connect()
    try {
      await other.query('BEGIN')
      await other.query(statement)
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const result = await work(rows[0]!.pid, other)
      await other.query('COMMIT')
      return result
    } finally {
      await other.end()
    }
  }

  async #isWaitedFor(pid: number): Promise<boolean> {
    const waiting = 'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))'
    return (await this.#watcher.query(waiting, [pid])).rows.length > 0
  }

  /** How many wait for a server process, or for one that waits for it. */
  async #behind(pid: number): Promise<number> {
    const waiting = `
      WITH RECURSIVE line AS (
        SELECT $1::int AS pid
        UNION SELECT a.pid FROM line JOIN pg_stat_activity a ON line.pid = ANY (pg_blocking_pids(a.pid)))
      SELECT count(*)::int - 1 AS count FROM line`
    return (await this.#watcher.query<{ count: number }>(waiting, [pid])).rows[0]!.count
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close()
    await this.#watcher.end()
    await this.#schema.drop()
  }
}
