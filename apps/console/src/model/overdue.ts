import type { Delivery } from './delivery.ts'

/** By then the stream has told of most of them. */
const OVERDUE_MS = 2_000

/**
 * Of the deliveries whose attempt is due, those to read next: those that were read least recently, and among equals those
 * that wait longest. Those of a paused webhook stay overdue, and would else hold back all others.
 * @param readAt when each was last read, Unix ms by its id; what is not in it never was
 * @param now Unix ms
 * @param most as many as are read at a time
 */
export function overdueToRead(params: {
  readonly rows: readonly Delivery[]
  readonly readAt: ReadonlyMap<string, number>
  readonly now: number
  readonly most: number
}): readonly Delivery[] {
  const { rows, readAt, now, most } = params
  const read = ({ id }: Delivery) => readAt.get(id) ?? 0
  return rows
    .filter(({ nextAttemptAt }) => nextAttemptAt !== null && Date.parse(nextAttemptAt) <= now - OVERDUE_MS)
    .toSorted((a, b) => read(a) - read(b) || Date.parse(a.nextAttemptAt!) - Date.parse(b.nextAttemptAt!))
    .slice(0, most)
}
