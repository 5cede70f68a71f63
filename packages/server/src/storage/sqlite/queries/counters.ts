import type { Connection } from '../connection.ts'
import type { CallTable } from '../messages.ts'
import type { Store } from '../store.ts'

const sql = {
  /** One statement for both, since every batch runs it. */
  takeNumbers: `
    UPDATE store SET next_delivery_id = next_delivery_id + @deliveries, next_event_seq = next_event_seq + @events
    RETURNING next_delivery_id - @deliveries AS deliveryId, next_event_seq - @events AS seq`,
  skipEventId: 'UPDATE store SET next_event_id = next_event_id + 1',
}

/** Ids come from counters and not from the largest row, so that an id is not given out again after a deletion. */
export function counterCalls({ db }: Store): Pick<CallTable, 'check'> {
  const skipEventId = db.prepare(sql.skipEventId)
  return {
    // The log must take a page and the disk must sync it. SQLite writes none whose bytes stay the same, so this costs
    // an id that no event will have.
    check() {
      skipEventId.run()
    },
  }
}

interface Wanted {
  readonly deliveries: number
  /** Events that take a place in their workspace's feed. */
  readonly events: number
}

/** The next of the consecutive numbers that were taken; the caller increments them. */
export interface Numbers {
  deliveryId: number
  seq: number
}

/** @returns a function that takes ids of deliveries and places in feeds. */
export function numberTaker(db: Connection): (wanted: Wanted) => Numbers {
  const take = db.prepare<Wanted, Numbers>(sql.takeNumbers)
  return (wanted) => take.get(wanted)!
}
