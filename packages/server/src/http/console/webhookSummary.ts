import { type Static, Type } from 'typebox'
import { ATTEMPT_ERROR_CODES, type AttemptErrorCode, DELIVERY_STATUSES } from '../../core/delivery.ts'
import type { Webhook, Workspace } from '../../storage/rows.ts'
import type { LatestDelivery } from '../../storage/storage.ts'
import type { Context } from '../shared/context.ts'
import { closed, nullable, oneOf, time } from '../shared/schemas.ts'
import { isoTime } from '../shared/time.ts'
import { lastDayAt, lastDayJson, lastDaySchema } from './lastDay.ts'

/** Pending deliveries of a webhook are counted as far as this. */
const MAX_COUNTED = 1_000

const lastDelivery = nullable(
  closed(
    {
      id: Type.String({ description: 'Identifies the delivery in paths.' }),
      status: oneOf(DELIVERY_STATUSES, 'State of the delivery.'),
      status_code: nullable(
        Type.Integer({ description: 'HTTP status of its latest attempt; null if there was no response.' }),
      ),
      error_code: Type.Unsafe<AttemptErrorCode | null>({
        type: ['string', 'null'],
        enum: [...ATTEMPT_ERROR_CODES, null],
        description: 'Why its latest attempt failed; null: it succeeded, or there is none.',
      }),
      at: time('When its latest attempt began or, before the first, when it was created.'),
    },
    { description: 'The newest delivery, tests included; null: none is kept.' },
  ),
)

export const summaryMembers = {
  webhook_id: Type.String({ description: 'The webhook.' }),
  last_delivery: lastDelivery,
  last_24h: lastDaySchema,
  pending: Type.Integer({
    description: `Pending deliveries, counted up to ${MAX_COUNTED}.`,
  }),
}

export const SummarySchema = closed(summaryMembers, { title: 'WebhookSummary' })
export type SummaryJson = Static<typeof SummarySchema>

/** @returns the summaries of webhooks of the workspace, in their order */
export async function summariesOf(
  { storage, engine, clock }: Context,
  workspace: Workspace,
  webhooks: readonly Webhook[],
): Promise<SummaryJson[]> {
  if (webhooks.length === 0) return []
  const webhookIds = webhooks.map(({ id }) => id)
  const { from, to } = lastDayAt(clock.now())
  const [states, hours] = await Promise.all([
    storage.webhooks.webhookStates({ workspaceId: workspace.id, webhookIds, maxPending: MAX_COUNTED }),
    storage.stats.webhookHours({ webhookIds, from, to }),
  ])
  const days = new Map(hours.map((day) => [day.webhookId, day]))
  const publicIds = new Map(webhooks.map(({ id, publicId }) => [id, publicId]))
  return states.map(({ webhookId, latest, pending }) => ({
    webhook_id: publicIds.get(webhookId)!,
    last_delivery:
      latest === null ? null : { id: engine.ids.delivery(workspace, latest), ...lastDeliveryJson(latest) },
    last_24h: lastDayJson(from, days.get(webhookId)!),
    pending,
  }))
}

function lastDeliveryJson({ status, attempt, createdAt }: LatestDelivery) {
  return {
    status,
    status_code: attempt?.statusCode ?? null,
    error_code: attempt?.errorCode ?? null,
    at: isoTime(attempt?.startedAt ?? createdAt),
  }
}
