import type { WebhookStatus } from '../../../core/switches.ts'
import { webhookSql } from '../../queries/webhooks.ts'
import { statusForResending } from '../../records/deliveries.ts'
import type { WebhookRow } from '../../records/webhooks.ts'
import { slidingWindow } from '../../slidingWindow.ts'
import type { ManualSendLimit, ManualSendResult } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { numberTaker } from './counters.ts'
import { deliveryRecords } from './deliveryRecords.ts'
import { eventRows } from './eventRows.ts'
import { runStarter } from './runs.ts'

const sql = {
  /** A send from the future was stamped before the clock was set back: it must not block anyone until then. */
  prune: `
    DELETE FROM manual_sends
    WHERE workspace_id = @workspaceId AND (sent_at <= @now - @windowMs OR sent_at > @now + @windowMs)`,
  sends: 'SELECT sent_at FROM manual_sends WHERE workspace_id = ? ORDER BY sent_at',
  add: 'INSERT INTO manual_sends (workspace_id, sent_at) VALUES (?, ?)',
}

/** Whoever is allowed is counted: the caller sends in the same transaction. */
function limiter(db: Connection) {
  const prune = db.prepare<{ workspaceId: number; now: number; windowMs: number }>(sql.prune)
  const sends = db.prepare<[number], number>(sql.sends).pluck()
  const add = db.prepare<[number, number]>(sql.add)

  return (workspaceId: number, limit: ManualSendLimit, now: number) => {
    prune.run({ workspaceId, now, windowMs: limit.windowMs })
    const decision = slidingWindow(sends.all(workspaceId), limit, now)
    if (decision.allowed) add.run(workspaceId, now)
    return decision
  }
}

export function manualSendVerbs({ db }: Store): Pick<VerbTable, 'sendTest' | 'resend'> {
  const decide = limiter(db)
  const takeNumbers = numberTaker(db)
  const rows = eventRows(db)
  const webhookById = db.prepare<[Record<number, number>], WebhookRow>(webhookSql.byId.sqlite)
  const records = deliveryRecords(db)
  const startRun = runStarter(db)

  /** The refusal when manual sends to this webhook are not possible now. */
  function refuse(workspaceId: number, webhookId: number): ManualSendResult | null {
    const status: WebhookStatus | undefined = webhookById.get({ 1: workspaceId, 2: webhookId })?.status
    if (status === undefined) return { outcome: 'not_found' }
    return status === 'on' ? null : { outcome: 'webhook_not_on', status }
  }

  return {
    sendTest({ event, webhookId, limit, now }) {
      const refusal = refuse(event.workspaceId, webhookId)
      if (refusal !== null) return refusal
      const decision = limit === null ? null : decide(event.workspaceId, limit, now)
      if (decision?.allowed === false) return { outcome: 'rate_limited', limit: decision.state }
      const { deliveryId } = takeNumbers({ deliveries: 1, events: 0 })
      rows.event(event, deliveryId, 1, null)
      rows.delivery(deliveryId, event, webhookId, 'test', null)
      const delivery = records.get(event.workspaceId, deliveryId)!
      return { outcome: 'accepted', delivery, limit: decision?.state ?? null }
    },
    resend({ workspaceId, deliveryId, trigger, from, limit, now }) {
      const row = records.row(workspaceId, deliveryId)
      if (row === undefined) return { outcome: 'not_found' }
      const refusal = refuse(workspaceId, row.webhook_id)
      if (refusal !== null) return refusal
      const status = statusForResending(row)
      if (!from.includes(status) || status === 'pending') return { outcome: 'wrong_status', status }
      const decision = limit === null ? null : decide(workspaceId, limit, now)
      if (decision?.allowed === false) return { outcome: 'rate_limited', limit: decision.state }
      startRun(deliveryId, trigger, now)
      const delivery = records.get(workspaceId, deliveryId)!
      return { outcome: 'accepted', delivery, limit: decision?.state ?? null }
    },
  }
}
