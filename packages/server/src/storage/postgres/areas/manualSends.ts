import type { WebhookStatus } from '../../../core/switches.ts'
import { DELIVERY_COLUMNS, type DeliveryRow, statusForResending } from '../../records/deliveries.ts'
import { EFFECTIVE_STATUS } from '../../records/webhooks.ts'
import { slidingWindow } from '../../slidingWindow.ts'
import type { ManualSendLimit, ManualSendResult } from '../../storage.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { type VerbTable, writes } from '../verb.ts'
import { readDelivery } from './deliveryRecords.ts'
import { startRuns } from './runs.ts'
import { insertTest } from './testEvents.ts'

export const manualSendSql = {
  /** A send from the future was stamped before the clock was set back: it must not block anyone until then. */
  prune:
    'DELETE FROM manual_sends WHERE workspace_id = $1 AND (sent_at <= $2::bigint - $3 OR sent_at > $2::bigint + $3)',
  sends: 'SELECT sent_at FROM manual_sends WHERE workspace_id = $1 ORDER BY sent_at',
  add: 'INSERT INTO manual_sends (workspace_id, sent_at) VALUES ($1, $2)',
  webhook: `
    SELECT ${EFFECTIVE_STATUS} AS status FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.id = $1 AND w.workspace_id = $2 AND w.deleted_at IS NULL AND s.deleted_at IS NULL`,
  /** It stays as it is until the transaction ends. */
  delivery: `
    SELECT ${DELIVERY_COLUMNS}, ${EFFECTIVE_STATUS} AS webhook_status
    FROM (SELECT * FROM deliveries WHERE id = $1 OFFSET 0 FOR UPDATE) d
      CROSS JOIN LATERAL (
        SELECT * FROM webhooks
        WHERE id = d.webhook_id AND workspace_id = $2 AND deleted_at IS NULL OFFSET 0) w
      JOIN workspaces s ON s.id = $2 AND s.deleted_at IS NULL
      JOIN events e ON e.id = d.event_id AND e.created_at = d.created_at`,
}

interface FinishedRow extends DeliveryRow {
  readonly webhook_status: WebhookStatus
}

/** @returns whether one more send is allowed, which is counted then: the caller sends in the same transaction. */
async function decide(tx: Tx, workspaceId: number, limit: ManualSendLimit, now: number) {
  const [, sends] = await Promise.all([
    tx.run(manualSendSql.prune, [workspaceId, now, limit.windowMs]),
    tx.rows<{ sent_at: number }>(manualSendSql.sends, [workspaceId]),
  ])
  const sentAt = sends.map((send) => send.sent_at)
  const decision = slidingWindow(sentAt, limit, now)
  if (decision.allowed) await tx.run(manualSendSql.add, [workspaceId, now])
  return decision
}

export function manualSendVerbs({ locks, partitions }: Store): Pick<VerbTable, 'sendTest' | 'resend'> {
  /** Nobody switches a webhook of the workspace off, or counts a send, until the transaction ends. */
  const lock = (tx: Tx, workspaceId: number, limit: ManualSendLimit | null) =>
    Promise.all([
      locks.keep(tx, [workspaceId]),
      limit === null ? undefined : locks.countManualSends(tx, workspaceId),
    ])

  return {
    sendTest: {
      ...writes(async (tx, { event, webhookId, limit, now }): Promise<ManualSendResult> => {
        const { workspaceId } = event
        const [, webhook] = await Promise.all([
          lock(tx, workspaceId, limit),
          tx.row<{ status: WebhookStatus }>(manualSendSql.webhook, [webhookId, workspaceId]),
        ])
        if (webhook === undefined) return { outcome: 'not_found' }
        if (webhook.status !== 'on') return { outcome: 'webhook_not_on', status: webhook.status }
        const decision = limit === null ? null : await decide(tx, workspaceId, limit, now)
        if (decision?.allowed === false) return { outcome: 'rate_limited', limit: decision.state }
        const deliveryId = await insertTest(tx, event, webhookId)
        const delivery = (await readDelivery(tx, workspaceId, deliveryId))!
        return { outcome: 'accepted', delivery, limit: decision?.state ?? null }
      }),
      prepare: ({ event }) => partitions.ensure([event.createdAt]),
    },
    resend: writes(async (tx, params): Promise<ManualSendResult> => {
      const { workspaceId, deliveryId, trigger, from, limit, now } = params
      const [, row] = await Promise.all([
        lock(tx, workspaceId, limit),
        tx.row<FinishedRow>(manualSendSql.delivery, [deliveryId, workspaceId]),
      ])
      if (row === undefined) return { outcome: 'not_found' }
      if (row.webhook_status !== 'on') return { outcome: 'webhook_not_on', status: row.webhook_status }
      const status = statusForResending(row)
      if (!from.includes(status) || status === 'pending') return { outcome: 'wrong_status', status }
      const decision = limit === null ? null : await decide(tx, workspaceId, limit, now)
      if (decision?.allowed === false) return { outcome: 'rate_limited', limit: decision.state }
      const place = { id: row.id, createdAt: row.created_at }
      await startRuns(tx, [place], { trigger, from: status, finishedBy: row.finished_at!, now })
      const delivery = (await readDelivery(tx, workspaceId, deliveryId))!
      return { outcome: 'accepted', delivery, limit: decision?.state ?? null }
    }),
  }
}
