import type pg from 'pg'
import type { OutboxRow, OutboxSession } from '../../src/outbox/source.ts'
import { eventOf, numberOf } from './subjects.ts'

const WORKSPACES = 6
const TRANSACTIONS = 40

/** Producers with overlapping transactions, and the committed and read events of each workspace. */
export class Overlapping {
  isProducing = true
  readonly committed = new Map<string, number[]>()
  readonly read = new Map<string, number[]>()
  /** Each workspace changes one entity at a time, as with a row lock. */
  readonly #locks: Promise<void>[] = Array.from({ length: WORKSPACES }, () => Promise.resolve())

  async produce(
    client: pg.Client,
    emit: (client: pg.Client, workspace: string, event: unknown) => Promise<unknown>,
    seed: number,
  ): Promise<void> {
    for (let i = 0; i < TRANSACTIONS; i++) {
      const at = (seed * 7 + i * 5) % WORKSPACES
      const numbers = Array.from({ length: 1 + (i % 4) }, (_, n) => seed * 10_000 + i * 10 + n)
      await client.query(i % 3 === 0 ? 'BEGIN; SELECT pg_current_xact_id()' : 'BEGIN')
      await this.#locked(at, async () => {
        for (const n of numbers) await emit(client, `w${at}`, eventOf(n))
        if (i % 5 === 0) await client.query('SELECT pg_sleep(0.005)')
        const isKept = i % 6 !== 0
        await client.query(isKept ? 'COMMIT' : 'ROLLBACK')
        if (isKept) this.committed.set(`w${at}`, [...(this.committed.get(`w${at}`) ?? []), ...numbers])
      })
    }
  }

  async #locked(at: number, work: () => Promise<void>): Promise<void> {
    const before = this.#locks[at]!
    const mine = before.then(work)
    this.#locks[at] = mine
    await mine
  }

  async readFor(session: OutboxSession, rounds: number): Promise<void> {
    for (let i = 0; i < rounds; i++) {
      if (i % 4 === 0) await session.keep()
      // Sometimes some shards are full.
      const full = [...Array(16).keys()].filter((shard) => i % 3 === 0 && (shard + i) % 4 < 2)
      const batch = await session.read(new Set(full))
      this.note(batch.rows)
      session.passed(batch)
      await session.wait()
    }
  }

  /** A row that is read again was published before. */
  note(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const seen = this.read.get(row.workspace) ?? []
      if (!seen.includes(numberOf(row))) this.read.set(row.workspace, [...seen, numberOf(row)])
    }
  }
}
