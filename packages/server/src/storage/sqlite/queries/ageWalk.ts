import type { Connection } from '../connection.ts'
import type { VerbParams } from '../messages.ts'

/** Rows that one step looks at, whether they go or not. */
const MAX_LOOKED = 20_000

export interface Aged {
  readonly id: number
  readonly created_at: number
  /** 1 while the row must stay. */
  readonly needed?: 0 | 1
}

type Ages = Pick<VerbParams<'deleteExpired'>, 'before' | 'now' | 'expiredBefore' | 'limit'>

/**
 * Goes over the rows of a table, oldest first, in bounded steps. Rows are made in the order of their ids, so the walk ends
 * at the first that is still wanted. One stamped in the future shows that a clock was wrong, not its age, and must
 * not keep everything behind it for ever. Each step begins where the last one stopped: old rows that must stay would
 * otherwise hold up all that come after them.
 */
export class AgeWalk<Row extends Aged> {
  readonly #rows
  readonly #maxLooked: number
  #after = 0

  /** @param sql rows with an id greater than `@after`, in the order of their ids */
  constructor(db: Connection, sql: string, maxLooked = MAX_LOOKED) {
    this.#rows = db.prepare<{ after: number; expiredBefore: number }, Row>(sql)
    this.#maxLooked = maxLooked
  }

  /**
   * Hands rows that are too old to `handle`, which tells whether it changed anything.
   * @returns how many it changed, and at least 1 as long as there is more to look at
   */
  step(ages: Ages, handle: (row: Row) => boolean): number {
    const { rows, ended } = this.#collect(ages)
    const changed = rows.filter(handle).length
    return ended ? changed : Math.max(changed, 1)
  }

  #collect({ before, now, expiredBefore, limit }: Ages): { rows: readonly Row[]; ended: boolean } {
    const rows: Row[] = []
    let looked = 0
    for (const row of this.#rows.iterate({ after: this.#after, expiredBefore })) {
      if (row.created_at >= before && row.created_at <= now) break
      if (row.created_at < before && !row.needed) rows.push(row)
      if (rows.length === limit || ++looked === this.#maxLooked) {
        this.#after = row.id
        return { rows, ended: false }
      }
    }
    this.#after = 0
    return { rows, ended: true }
  }
}
