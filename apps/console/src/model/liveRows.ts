import { attemptsMade, type Delivery } from './delivery.ts'

/** Most rows in memory. Older rows are read again on the next page. */
export const MAX_ROWS = 200

/** A list of deliveries with live updates. */
export interface LiveRows {
  /** Shown rows, newest first. */
  readonly rows: readonly Delivery[]
  /** New rows that are not shown yet, newest first, so that the list does not shift while it is read. */
  readonly waiting: readonly Delivery[]
  /** Whether older rows were dropped, so that the cursor of the next page would skip some. */
  readonly trimmed: boolean
}

export const rowsOf = (rows: readonly Delivery[]): LiveRows => ({ rows, waiting: [], trimmed: false })

/**
 * Merges new and changed deliveries. Shown rows are updated in place. New rows are inserted by time, or wait while the list
 * is held.
 * @param belongs whether a delivery that is not shown belongs in the list
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

/** Merges read rows: further pages of the same search, or rows that were read again. */
export function extend(list: LiveRows, read: readonly Delivery[]): LiveRows {
  const ids = new Set(read.map(({ id }) => id))
  // A waiting row that was read is shown in its latest version.
  const known = replaced(read, new Map(list.waiting.map((delivery) => [delivery.id, delivery])))
  const { rows, trimmed } = receive({ ...list, waiting: [] }, known, { held: false, belongs: () => true })
  return { rows, waiting: list.waiting.filter(({ id }) => !ids.has(id)), trimmed }
}

/** Shows the waiting rows. */
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
 * Whether there may be a gap between the newest deliveries and the known ones, since none of them is known.
 */
export function isBeyond(newest: readonly Delivery[], known: readonly Delivery[]): boolean {
  const ids = new Set(known.map(({ id }) => id))
  return newest.length > 0 && !newest.some(({ id }) => ids.has(id))
}

/** Keeps the array and its unchanged rows identical, so that only changed rows are rendered again. */
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

/** Responses can arrive out of order. The one with fewer attempts is older. */
function isNewer(found: Delivery, shown: Delivery): boolean {
  const [made, known] = [attemptsMade(found), attemptsMade(shown)]
  if (made !== known) return made > known
  return found.status !== shown.status || found.nextAttemptAt !== shown.nextAttemptAt
}

/** Stable, so that deliveries of the same millisecond keep their order. */
const newestFirst = (rows: readonly Delivery[]): readonly Delivery[] =>
  rows.toSorted((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? 1 : -1))
