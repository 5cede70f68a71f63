import { type Static, Type } from 'typebox'
import { WAIT_REASON_TEXTS, WAIT_REASONS } from '../../core/waiting.ts'
import { findOldestPending } from '../../engine/maintenance/watches.ts'
import type { PendingDelivery, WebhookCounts } from '../../storage/storage.ts'
import type { Context } from './context.ts'
import { closed, nullable, oneOf, time } from './schemas.ts'
import { isoTime } from './time.ts'

export const WebhookCountsSchema = closed(
  {
    on: Type.Integer({
      description:
        'Enabled webhooks, in workspaces that are not suspended. Operational webhooks are not counted.',
    }),
    failing: Type.Integer({
      description:
        'Failing webhooks: every attempt since their last success failed. Tests and faults of the service itself do not count.',
    }),
    disabled_last_hour: Type.Integer({
      description:
        'Webhooks that were disabled in the last hour because they failed for too long or answered 410, and are still disabled.',
    }),
  },
  { title: 'WebhookCounts' },
)

export const webhookCountsJson = ({ on, failing, disabled }: WebhookCounts) => ({
  on,
  failing,
  disabled_last_hour: disabled,
})

const reasons = WAIT_REASONS.map((reason) => `\`${reason}\`: ${WAIT_REASON_TEXTS[reason]}`).join('; ')

export const OldestPendingSchema = nullable(
  closed(
    {
      webhook_id: Type.String({ description: 'Its webhook.' }),
      delivery_id: Type.String({ description: 'Id of the delivery in paths.' }),
      created_at: time('When its event was accepted.'),
      next_attempt_at: time('When its next attempt is due.'),
      attempts: Type.Integer({ description: 'Attempts so far.' }),
      reason: oneOf(WAIT_REASONS, `Why it waits. ${reasons}.`),
    },
    {
      title: 'OldestPending',
      description: 'The oldest pending delivery; null: none is pending.',
    },
  ),
)

type OldestPendingJson = Static<typeof OldestPendingSchema>

/** @param deliveryId makes its public id */
export function oldestPendingJson(
  { engine }: Context,
  oldest: PendingDelivery | null,
  deliveryId: (oldest: PendingDelivery) => string,
): OldestPendingJson {
  if (oldest === null) return null
  const { webhookPublicId, createdAt, nextAttemptAt, attempts } = oldest
  return {
    webhook_id: webhookPublicId,
    delivery_id: deliveryId(oldest),
    created_at: isoTime(createdAt),
    next_attempt_at: isoTime(nextAttemptAt),
    attempts,
    reason: engine.whyPending(oldest),
  }
}

/** Of a workspace, or of one of its webhooks. */
export async function readOldestPending(
  ctx: Context,
  of: { readonly workspaceId: number; readonly webhookId: number | null },
): Promise<PendingDelivery | null> {
  return findOldestPending({ storage: ctx.storage.stats, clock: ctx.clock }, of)
}
