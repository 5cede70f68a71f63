import type { Delivery } from './delivery.ts'

/** By then the stream has usually delivered the update. */
const OVERDUE_MS = 2_000

/**
 * The overdue deliveries to read next: least recently read first, then longest overdue. Deliveries of paused webhooks stay
 * overdue, and must not block the others.
 * @param readAt when each delivery was last read, Unix ms by id
 * @param now Unix ms
 * @param most maximum number
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
