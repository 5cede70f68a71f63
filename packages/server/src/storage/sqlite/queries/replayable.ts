import type { Connection } from '../connection.ts'
import type { VerbParams, VerbResult } from '../messages.ts'

/** Dead deliveries looked at for one count: some 40 ms. */
const MAX_LOOKED = 25_000

export const replayableSql = {
  /**
   * A webhook that is off is left out, since nothing may be pending for it, and one whose earlier deliveries are still
   * being canceled, since what is made pending now could be canceled with them.
   */
  nextWebhook: `
    SELECT id FROM webhooks
    WHERE workspace_id = ? AND id >= ? AND id <= ? AND deleted_at IS NULL AND status <> 'off'
      AND canceled_through IS NULL
    ORDER BY id LIMIT 1`,
  count: `
    SELECT count(*) AS looked, count(*) FILTER (
      WHERE finished_at <= @now
        AND (@eventType IS NULL OR @eventType = (SELECT type FROM events WHERE id = event_id))) AS matching
    FROM (
      SELECT event_id, finished_at FROM deliveries INDEXED BY deliveries_unhealthy
      WHERE webhook_id = @webhookId AND status = 'dead' AND created_at >= @from AND created_at < @to
      LIMIT @limit)`,
}

interface Count {
  readonly looked: number
  readonly matching: number
}

/** @returns a function that finds the first webhook from `fromId` on whose dead deliveries can be replayed. */
export function replayableWebhooks(db: Connection) {
  const next = db.prepare<[number, number, number], { readonly id: number }>(replayableSql.nextWebhook)
  /** @param only `null`: any webhook */
  return (workspaceId: number, fromId: number, only: number | null): number | undefined =>
    next.get(workspaceId, Math.max(fromId, only ?? 0), only ?? Number.MAX_SAFE_INTEGER)?.id
}

/** @returns a count that is cut short when there is too much to look at: there may be more then. */
export function replayableCounter(
  db: Connection,
  maxLooked: number = MAX_LOOKED,
): (params: VerbParams<'countReplayable'>) => VerbResult<'countReplayable'> {
  const nextWebhook = replayableWebhooks(db)
  const countOf = db.prepare<Record<string, string | number | null>, Count>(replayableSql.count)

  return ({ workspaceId, webhookId: only, eventType, from, to, max, now }) => {
    const range = { eventType, from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER, now }
    let [count, looked] = [0, 0]
    let webhookId = nextWebhook(workspaceId, 0, only)
    while (webhookId !== undefined && count <= max && looked <= maxLooked) {
      // One more than is looked at tells whether there is more.
      const found = countOf.get({ ...range, webhookId, limit: maxLooked - looked + 1 })!
      count += found.matching
      looked += found.looked
      webhookId = nextWebhook(workspaceId, webhookId + 1, only)
    }
    return { count: Math.min(count, max), more: count > max || looked > maxLooked }
  }
}
