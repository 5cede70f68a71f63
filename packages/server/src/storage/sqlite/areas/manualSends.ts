import type { WebhookStatus } from '../../../core/switches.ts'
import type { ManualSendLimit, ManualSendResult } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { deliveryIds } from './counters.ts'
import { deliveryRecords } from './deliveryRecords.ts'
import { eventRows } from './eventRows.ts'
import { webhookRows } from './webhookRows.ts'

const sql = {
  /** A send from the future was stamped before the clock was set back: it must not block anyone until then. */
  prune: `
    DELETE FROM manual_sends
    WHERE workspace_id = @workspaceId AND (sent_at <= @now - @windowMs OR sent_at > @now + @windowMs)`,
  count: 'SELECT count(*) AS count FROM manual_sends WHERE workspace_id = ?',
  oldest: 'SELECT sent_at FROM manual_sends WHERE workspace_id = ? ORDER BY sent_at LIMIT 1 OFFSET ?',
  add: 'INSERT INTO manual_sends (workspace_id, sent_at) VALUES (?, ?)',
  again: `
    UPDATE deliveries SET status = 'pending', trigger = ?, run_start = attempts, next_attempt_at = ?,
      finished_at = NULL
    WHERE id = ?`,
}

type Refusal = Extract<ManualSendResult, { outcome: 'rate_limited' }>

/** Sends a sliding window; the caller sends only after it was let through, in the same transaction. */
function limiter(db: Connection) {
  const prune = db.prepare<{ workspaceId: number; now: number; windowMs: number }>(sql.prune)
  const count = db.prepare<[number], { count: number }>(sql.count)
  const oldest = db.prepare<[number, number], { sent_at: number }>(sql.oldest)
  const add = db.prepare<[number, number]>(sql.add)

  return (
    workspaceId: number,
    limit: ManualSendLimit | null,
    now: number,
  ): Refusal | { readonly remaining: number | null } => {
    if (limit === null) return { remaining: null }
    prune.run({ workspaceId, now, windowMs: limit.windowMs })
    const made = count.get(workspaceId)!.count
    if (made < limit.max) {
      add.run(workspaceId, now)
      return { remaining: limit.max - made - 1 }
    }
    const blocking = oldest.get(workspaceId, made - limit.max)
    const freeAt = (blocking?.sent_at ?? now) + limit.windowMs
    return { outcome: 'rate_limited', retryAfterMs: Math.max(freeAt - now, 1) }
  }
}

export function manualSendVerbs({ db }: Store): Pick<VerbTable, 'sendTest' | 'resend'> {
  const letThrough = limiter(db)
  const takeIds = deliveryIds(db)
  const rows = eventRows(db)
  const webhooks = webhookRows(db)
  const records = deliveryRecords(db)
  const again = db.prepare<[string, number, number]>(sql.again)

  /** The refusal when manual sends to this webhook are not possible now. */
  function refuse(workspaceId: number, webhookId: number): ManualSendResult | null {
    const status: WebhookStatus | undefined = webhooks.byId.get(workspaceId, webhookId)?.status
    if (status === undefined) return { outcome: 'not_found' }
    return status === 'on' ? null : { outcome: 'webhook_not_on', status }
  }

  return {
    sendTest({ event, webhookId, limit, now }) {
      const refusal = refuse(event.workspaceId, webhookId)
      if (refusal !== null) return refusal
      const passed = letThrough(event.workspaceId, limit, now)
      if ('outcome' in passed) return passed
      const deliveryId = takeIds(1)
      rows.event(event, deliveryId, 1)
      rows.delivery(deliveryId, event, webhookId, 'test', null)
      const delivery = records.get(event.workspaceId, deliveryId)!
      return { outcome: 'accepted', delivery, remaining: passed.remaining }
    },
    resend({ workspaceId, deliveryId, trigger, from, limit, now }) {
      const row = records.row(workspaceId, deliveryId)
      if (row === undefined) return { outcome: 'not_found' }
      const refusal = refuse(workspaceId, row.webhook_id)
      if (refusal !== null) return refusal
      // One that was canceled is not finished while an attempt may still be under way, nor while its webhook's rows
      // are being canceled, which would end the new attempt too.
      const canceling = row.canceled_through !== null && row.id <= row.canceled_through
      const status = row.lease === null && !canceling ? row.status : 'pending'
      if (!from.includes(status) || status === 'pending') return { outcome: 'wrong_status', status }
      const passed = letThrough(workspaceId, limit, now)
      if ('outcome' in passed) return passed
      again.run(trigger, now, deliveryId)
      const delivery = records.get(workspaceId, deliveryId)!
      return { outcome: 'accepted', delivery, remaining: passed.remaining }
    },
  }
}
