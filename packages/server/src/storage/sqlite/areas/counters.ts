import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const sql = {
  takeEventIds: 'UPDATE store SET next_event_id = next_event_id + ? RETURNING next_event_id - ? AS first',
  takeDeliveryIds: `
    UPDATE store SET next_delivery_id = next_delivery_id + ? RETURNING next_delivery_id - ? AS first`,
  skipEventId: 'UPDATE store SET next_event_id = next_event_id + 1',
}

/** Ids come from counters and not from the largest row, so that an id is not given out again after a deletion. */
export function counterVerbs({ db }: Store): Pick<VerbTable, 'reserveEventIds' | 'check'> {
  const takeEventIds = db.prepare<[number, number], { first: number }>(sql.takeEventIds)
  const skipEventId = db.prepare(sql.skipEventId)
  return {
    reserveEventIds: ({ count }) => takeEventIds.get(count, count)!.first,
    // The log must take a page and the disk must sync it. SQLite writes none whose bytes stay the same, so this costs
    // an id that no event will have.
    check() {
      skipEventId.run()
    },
  }
}

/** @returns a function that takes `count` consecutive delivery ids and returns the first. */
export function deliveryIds(db: Connection): (count: number) => number {
  const take = db.prepare<[number, number], { first: number }>(sql.takeDeliveryIds)
  return (count) => take.get(count, count)!.first
}
