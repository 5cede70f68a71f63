import type { Entries } from '../../rowMappers/deliverySearch.ts'
import type { DeliveryPosition } from '../../storage.ts'
import type { Connection } from '../connection.ts'

/** Most entries that are read at a time. */
const MAX_CHUNK = 256

const of = (entries: string) => ({
  /**
   * Two statements, because SQLite seeks by the time alone when it is given both members of a position to compare:
   * thousands of deliveries may share a millisecond, and each chunk would pass over those before it again.
   */
  sameTime: `
    SELECT created_at AS createdAt, id FROM deliveries INDEXED BY ${entries} AND created_at = ? AND id < ?
    ORDER BY id DESC LIMIT ?`,
  earlier: `
    SELECT created_at AS createdAt, id FROM deliveries INDEXED BY ${entries} AND created_at < ? AND created_at >= ?
    ORDER BY created_at DESC, id DESC LIMIT ?`,
})

/** The statuses stand in the text, since SQLite uses a partial index only for what it can see before it runs. */
export const walkSql = {
  all: of('deliveries_of_webhook WHERE webhook_id = ?'),
  failed: of(`deliveries_unhealthy WHERE webhook_id = ? AND status = 'failed'`),
  dead: of(`deliveries_unhealthy WHERE webhook_id = ? AND status = 'dead'`),
  canceled: of(`deliveries_unhealthy WHERE webhook_id = ? AND status = 'canceled'`),
  retrying: of(`deliveries_retrying WHERE webhook_id = ? AND status = 'pending' AND attempts > 0`),
}

export interface Walk {
  readonly webhookId: number
  readonly entries: Entries
  /** Exclusive. */
  readonly before: DeliveryPosition
  /** Made at this time or later. */
  readonly from: number
  /** How many are likely to be wanted. */
  readonly expected: number
}

/** @returns a function that walks the deliveries of one webhook, newest first, by the index alone. */
export function deliveryWalker(db: Connection) {
  const prepare = ({ sameTime, earlier }: (typeof walkSql)[Entries]) => ({
    sameTime: db.prepare<[number, number, number, number], DeliveryPosition>(sameTime),
    earlier: db.prepare<[number, number, number, number], DeliveryPosition>(earlier),
  })
  const statements = {
    all: prepare(walkSql.all),
    failed: prepare(walkSql.failed),
    dead: prepare(walkSql.dead),
    canceled: prepare(walkSql.canceled),
    retrying: prepare(walkSql.retrying),
  }

  return function* walk(params: Walk): Generator<DeliveryPosition, undefined> {
    const { webhookId, entries, before, from, expected } = params
    const { sameTime, earlier } = statements[entries]
    let { createdAt, id } = before
    let size = Math.min(Math.max(expected, 1), MAX_CHUNK)
    while (createdAt >= from) {
      const chunk = id > 0 ? sameTime.all(webhookId, createdAt, id, size) : []
      if (chunk.length < size) chunk.push(...earlier.all(webhookId, createdAt, from, size - chunk.length))
      yield* chunk
      if (chunk.length < size) return
      ;({ createdAt, id } = chunk.at(-1)!)
      size = Math.min(size * 2, MAX_CHUNK)
    }
  }
}
