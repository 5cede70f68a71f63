import { EVENTS_COUNTED } from '../../queries/feed.ts'
import type { Connection } from '../connection.ts'
import { listing, type Run, type VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const sql = {
  /** One statement for both, since every batch runs it. */
  takeNumbers: `
    UPDATE store SET next_delivery_id = next_delivery_id + @deliveries, next_event_seq = next_event_seq + @events
    RETURNING next_delivery_id - @deliveries AS deliveryId, next_event_seq - @events AS seq`,
  skipEventId: 'UPDATE store SET next_event_id = next_event_id + 1',
}

export const countSql = {
  newest: `
    SELECT id, type FROM events INDEXED BY events_feed
    WHERE workspace_id = ? AND seq IS NOT NULL ORDER BY seq DESC LIMIT ${EVENTS_COUNTED}`,
  createdAt: 'SELECT created_at FROM events WHERE id = ?',
}

/** Ids come from counters and not from the largest row, so that an id is not given out again after a deletion. */
export function counterVerbs({ db }: Store): Pick<VerbTable, 'check' | 'countEvents'> {
  const skipEventId = db.prepare(sql.skipEventId)
  return {
    // The log must take a page and the disk must sync it. SQLite writes none whose bytes stay the same, so this costs
    // an id that no event will have.
    check() {
      skipEventId.run()
    },
    countEvents: listing(eventCounter(db)),
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

function eventCounter(db: Connection): Run<'countEvents'> {
  const newest = db.prepare<[number], { readonly id: number; readonly type: string }>(countSql.newest)
  const createdAt = db.prepare<[number], number>(countSql.createdAt).pluck()

  return ({ workspaceId, eventTypes, since, max }) => {
    const looked = newest.all(workspaceId)
    // By halves: the time stands behind the body in its row, which may fill many pages.
    let [later, all] = [0, looked.length]
    while (later < all) {
      const middle = (later + all) >> 1
      if (createdAt.get(looked[middle]!.id)! >= since) later = middle + 1
      else all = middle
    }
    const types = new Set(eventTypes)
    const found = looked.slice(0, later).filter(({ type }) => types.size === 0 || types.has(type)).length
    return { count: Math.min(found, max), more: found > max || later === EVENTS_COUNTED }
  }
}
