import type { WebhookStatus } from '../../core/enabledState.ts'
import { leftOf, slidingWindow } from '../slidingWindow.ts'
import type { ManualSendLimit, ManualSendResult } from '../storage.ts'
import { lockDelivery, readDelivery, statusForResending } from './deliveries.ts'
import { list, type Queries, write } from './query.ts'
import { EFFECTIVE_STATUS } from './records.ts'
import { sql, typed } from './sql.ts'
import { all, callDriver, nothing, row, rows, run, type Work } from './work.ts'

const NOW = typed('$2', 'bigint')

export const manualSendSql = {
  /** A send from the future was stamped before the clock was set back: it must block no one until then. */
  prune: sql`
    DELETE FROM manual_sends WHERE workspace_id = $1 AND (sent_at <= ${NOW} - $3 OR sent_at > ${NOW} + $3)`,
  sends: sql`SELECT sent_at FROM manual_sends WHERE workspace_id = $1 ORDER BY sent_at`,
  recentSends: sql`
    SELECT sent_at FROM manual_sends
    WHERE workspace_id = $1 AND sent_at > ${NOW} - $3 AND sent_at <= ${NOW} + $3 ORDER BY sent_at`,
  add: sql`INSERT INTO manual_sends (workspace_id, sent_at) VALUES ($1, $2)`,
  webhook: sql`
    SELECT ${EFFECTIVE_STATUS} AS status FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.id = $1 AND w.workspace_id = $2 AND w.deleted_at IS NULL AND s.deleted_at IS NULL`,
}

export const manualSendQueries: Queries<'sendTest' | 'resend' | 'manualSendsLeft'> = {
  sendTest: {
    ...write<'sendTest'>(function* ({ event, webhookId, limit, now }) {
      const { workspaceId } = event
      const [, webhook] = yield* all(
        keepApart(workspaceId, limit),
        row<{ readonly status: WebhookStatus }>(manualSendSql.webhook, [webhookId, workspaceId]),
      )
      const refusal = webhook === undefined ? NOT_FOUND : refusalOf(webhook.status)
      if (refusal !== null) return refusal
      return yield* send(workspaceId, limit, now, () => callDriver('insertTest', event, webhookId))
    }),
    daysOf: ({ event }) => [event.createdAt],
  },
  resend: write(function* ({ workspaceId, deliveryId, trigger, from, limit, now }) {
    const [, found] = yield* all(keepApart(workspaceId, limit), lockDelivery(workspaceId, deliveryId))
    if (found === undefined) return NOT_FOUND
    const refusal = refusalOf(found.webhookStatus)
    if (refusal !== null) return refusal
    const status = statusForResending(found)
    if (!from.includes(status) || status === 'pending') return { outcome: 'wrong_status', status }
    return yield* send(workspaceId, limit, now, function* () {
      yield* callDriver('startRuns', [found], { trigger, from: status, finishedBy: found.finishedAt!, now })
      return deliveryId
    })
  }),
  manualSendsLeft: list(function* ({ workspaceId, limit, now }) {
    const sends = yield* rows<SendRow>(manualSendSql.recentSends, [workspaceId, now, limit.windowMs])
    return leftOf(sends.map(sentAt), limit, now)
  }),
}

interface SendRow {
  readonly sent_at: number
}

const sentAt = ({ sent_at }: SendRow): number => sent_at

const NOT_FOUND = { outcome: 'not_found' } as const

const refusalOf = (status: WebhookStatus): ManualSendResult | null =>
  status === 'on' ? null : { outcome: 'webhook_not_on', status }

/** Until the transaction ends, no webhook of the workspace is switched off, and no other send is counted. */
const keepApart = (workspaceId: number, limit: ManualSendLimit | null): Work<unknown> =>
  all(
    callDriver('keepWebhooks', [workspaceId]),
    limit === null ? nothing() : callDriver('countManualSends', workspaceId),
  )

/** @param carryOut sends, unless that would be one too many @returns the delivery */
function* send(
  workspaceId: number,
  limit: ManualSendLimit | null,
  now: number,
  carryOut: () => Work<number>,
): Work<ManualSendResult> {
  const decision = limit === null ? null : yield* decide(workspaceId, limit, now)
  if (decision?.allowed === false) return { outcome: 'rate_limited', limit: decision.state }
  const delivery = yield* readDelivery(workspaceId, yield* carryOut())
  return { outcome: 'accepted', delivery: delivery!, limit: decision?.state ?? null }
}

/** One that is allowed is counted. */
function* decide(workspaceId: number, limit: ManualSendLimit, now: number) {
  const [, sends] = yield* all(
    run(manualSendSql.prune, [workspaceId, now, limit.windowMs]),
    rows<SendRow>(manualSendSql.sends, [workspaceId]),
  )
  const decision = slidingWindow(sends.map(sentAt), limit, now)
  if (decision.allowed) yield* run(manualSendSql.add, [workspaceId, now])
  return decision
}
