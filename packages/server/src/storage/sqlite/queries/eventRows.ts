import { RECENT_EVENTS } from '../../queries/feed.ts'
import type { EventToStore } from '../../storage.ts'
import type { Connection } from '../connection.ts'

const eventSql = {
  insertEvent: `
    INSERT INTO events (id, workspace_id, type, brought_id, fingerprint, body, created_at,
      first_delivery_id, delivery_count, seq, traceparent)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  insertDelivery: `
    INSERT INTO deliveries (id, event_id, webhook_id, status, attempts, trigger, run_start,
      next_attempt_at, lease, created_at)
    VALUES (?, ?, ?, 'pending', 0, 'schedule', 0, ?, ?, ?)`,
  insertCanceled: `
    INSERT INTO deliveries (id, event_id, webhook_id, status, attempts, trigger, run_start, finished_at, created_at)
    VALUES (?, ?, ?, 'canceled', 0, 'schedule', 0, ?, ?)`,
  addRecent: 'INSERT OR IGNORE INTO recent_events (workspace_id, type, event_id) VALUES (?, ?, ?)',
  trimRecent: `
    DELETE FROM recent_events WHERE workspace_id = @workspaceId AND type = @type AND event_id <= (
      SELECT event_id FROM recent_events WHERE workspace_id = @workspaceId AND type = @type
      ORDER BY event_id DESC LIMIT 1 OFFSET ${RECENT_EVENTS})`,
}

/**
 * Writes events and their deliveries. The deliveries of one event have consecutive ids, which the event names:
 * that is how retention sees, without an index, whether an event is still needed.
 * A delivery's `created_at` is its event's, since both public ids are derived from it.
 */
export function eventRows(db: Connection) {
  const insertEvent = db.prepare<unknown[]>(eventSql.insertEvent)
  const insertDelivery = db.prepare<unknown[]>(eventSql.insertDelivery)
  const insertCanceled = db.prepare<number[]>(eventSql.insertCanceled)
  return {
    /** @param seq its place in the feed */
    event(event: EventToStore, firstDeliveryId: number, deliveryCount: number, seq: number): void {
      insertEvent.run(
        event.id,
        event.workspaceId,
        event.type,
        event.broughtId,
        event.fingerprint,
        event.body,
        event.createdAt,
        firstDeliveryId,
        deliveryCount,
        seq,
        event.traceparent,
      )
    },
    /** @param lease the node it is leased to from the start, or `null`: due now for anyone. */
    delivery(
      id: number,
      event: Pick<EventToStore, 'id' | 'createdAt'>,
      webhookId: number,
      lease: number | null,
    ): void {
      const { createdAt } = event
      insertDelivery.run(id, event.id, webhookId, createdAt, lease, createdAt)
    },
    /** One that was never attempted. */
    canceled(
      id: number,
      event: Pick<EventToStore, 'id' | 'createdAt'>,
      webhookId: number,
      finishedAt: number,
    ): void {
      insertCanceled.run(id, event.id, webhookId, finishedAt, event.createdAt)
    },
  }
}

/** Collects the newest events of each type, so that a batch of 500 of one type touches three rows and not 500. */
export class RecentEvents {
  readonly #newest = new Map<string, { workspaceId: number; type: string; ids: number[] }>()

  add({ id, workspaceId, type }: EventToStore): void {
    const name = `${workspaceId} ${type}`
    let entry = this.#newest.get(name)
    if (entry === undefined) {
      entry = { workspaceId, type, ids: [] }
      this.#newest.set(name, entry)
    }
    entry.ids.push(id)
    if (entry.ids.length > RECENT_EVENTS) {
      entry.ids.sort((a, b) => b - a)
      entry.ids.length = RECENT_EVENTS
    }
  }

  /** @param add, trim from {@link recentRows}. */
  write(rows: ReturnType<typeof recentRows>): void {
    for (const { workspaceId, type, ids } of this.#newest.values()) {
      for (const id of ids) rows.add.run(workspaceId, type, id)
      rows.trim.run({ workspaceId, type })
    }
  }
}

export function recentRows(db: Connection) {
  return {
    add: db.prepare<[number, string, number]>(eventSql.addRecent),
    trim: db.prepare<{ workspaceId: number; type: string }>(eventSql.trimRecent),
  }
}
