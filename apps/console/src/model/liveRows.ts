import { attemptsMade, type Delivery } from './delivery.ts'

/** More than this is never held: rows that have run out of the page are read again when they are asked for. */
export const MAX_ROWS = 200

/** A list of deliveries while new ones arrive. */
export interface LiveRows {
  /** On the page, newest first. */
  readonly rows: readonly Delivery[]
  /** Not on the page yet, newest first, so that nothing moves under whoever reads. */
  readonly waiting: readonly Delivery[]
  /** Older rows were let go: what follows on the next page is no longer what follows the last row. */
  readonly trimmed: boolean
}

export const rowsOf = (rows: readonly Delivery[]): LiveRows => ({ rows, waiting: [], trimmed: false })

/**
 * Takes in deliveries that are new or have changed. Those on the page change where they are; new ones go to their place by
 * time, or wait while the page is held still.
 * @param belongs whether a delivery that is not on the page belongs there
 */
export function receive(
  list: LiveRows,
  incoming: readonly Delivery[],
  { held, belongs }: { readonly held: boolean; readonly belongs: (delivery: Delivery) => boolean },
): LiveRows {
  if (incoming.length === 0) return held ? list : release(list)
  const latest = new Map(incoming.map((delivery) => [delivery.id, delivery]))
  const rows = replaced(list.rows, latest)
  const waiting = replaced(list.waiting, latest)
  const known = new Set([...rows, ...waiting].map(({ id }) => id))
  const fresh = [...latest.values()].filter((delivery) => !known.has(delivery.id) && belongs(delivery))
  const next = {
    rows,
    waiting: fresh.length === 0 ? waiting : newestFirst([...fresh, ...waiting]).slice(0, MAX_ROWS),
    trimmed: list.trimmed,
  }
  return held ? next : release(next)
}

/** Takes in what was read besides: further pages of the same search, or rows that were read again. */
export function extend(list: LiveRows, read: readonly Delivery[]): LiveRows {
  const ids = new Set(read.map(({ id }) => id))
  // One that waits and is read now is on the page, as it is known last.
  const known = replaced(read, new Map(list.waiting.map((delivery) => [delivery.id, delivery])))
  const { rows, trimmed } = receive({ ...list, waiting: [] }, known, { held: false, belongs: () => true })
  return { rows, waiting: list.waiting.filter(({ id }) => !ids.has(id)), trimmed }
}

/** Brings what waits onto the page. */
export function release(list: LiveRows): LiveRows {
  if (list.waiting.length === 0) return list
  const all = newestFirst([...list.waiting, ...list.rows])
  return {
    rows: all.slice(0, MAX_ROWS),
    waiting: [],
    trimmed: list.trimmed || all.length > MAX_ROWS,
  }
}

/**
 * Whether there is a gap between the newest deliveries of many and those that are known: none of them is among these. Where
 * one is, it joins them.
 */
export function isBeyond(newest: readonly Delivery[], known: readonly Delivery[]): boolean {
  const ids = new Set(known.map(({ id }) => id))
  return newest.length > 0 && !newest.some(({ id }) => ids.has(id))
}

/** The same array when nothing in it has changed, and each row the same object unless it has: only those are drawn anew. */
function replaced(rows: readonly Delivery[], latest: ReadonlyMap<string, Delivery>): readonly Delivery[] {
  let changed = false
  const next = rows.map((row) => {
    const found = latest.get(row.id)
    if (found === undefined || !isNewer(found, row)) return row
    changed = true
    return found
  })
  return changed ? next : rows
}

/** Answers can overtake one another: one that knows fewer attempts is the older. */
function isNewer(found: Delivery, shown: Delivery): boolean {
  const [made, known] = [attemptsMade(found), attemptsMade(shown)]
  if (made !== known) return made > known
  return found.status !== shown.status || found.nextAttemptAt !== shown.nextAttemptAt
}

/** Stable, so that deliveries of the same millisecond keep the order in which they came. */
const newestFirst = (rows: readonly Delivery[]): readonly Delivery[] =>
  rows.toSorted((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? 1 : -1))
