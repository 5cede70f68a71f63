import { Type } from 'typebox'
import { attemptsOf, deliveredShare } from '../../core/stats/summary.ts'
import type { PendingDelivery } from '../../storage/storage.ts'
import { adminGuard } from '../shared/auth.ts'
import type { Context, Route } from '../shared/context.ts'
import {
  OldestPendingSchema,
  oldestPendingJson,
  WebhookCountsSchema,
  webhookCountsJson,
} from '../shared/currentState.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, nullable, time } from '../shared/schemas.ts'
import {
  endedJson,
  endedMembers,
  percentilesJson,
  responseSchema,
  successRateSchema,
} from '../shared/stats.ts'
import { isoTimeOrNull } from '../shared/time.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const OverviewSchema = closed(
  {
    webhooks: WebhookCountsSchema,
    last_hour: closed(
      {
        deliveries: closed(endedMembers, { description: 'Deliveries that ended.' }),
        success_rate: successRateSchema,
        attempts: Type.Integer({ description: 'Attempts.' }),
        failed_attempts: Type.Integer({ description: 'Failed attempts.' }),
        response_ms: responseSchema,
      },
      { description: 'What happened in the last hour.' },
    ),
    pending: Type.Integer({
      description: 'Pending deliveries, as `GET /admin/v1/nodes` counts them.',
    }),
    due: Type.Integer({ description: 'Pending deliveries that could be attempted now.' }),
    oldest_due_at: nullable(time('When the oldest of these became due. Null: none is due.')),
    oldest_pending: OldestPendingSchema,
  },
  { title: 'Overview' },
)

const schema = {
  operationId: 'getOverview',
  tags: ['Stats'],
  summary: 'Get an overview of the whole service',
  description:
    'Failing webhooks, the results of the deliveries of the last hour, pending deliveries, and why the oldest of them waits. At most five seconds old. `/metrics` has the same numbers.',
  response: { 200: OverviewSchema, ...problemResponses(...ADMIN_PROBLEMS) },
}

export const getOverview: Route = (app, ctx) => {
  app.get('/admin/v1/overview', { schema, onRequest: adminGuard(ctx) }, async () => {
    const [{ webhooks, lastHour, oldestPending }, queue] = await Promise.all([
      ctx.overview.current(),
      ctx.engine.queue(),
    ])
    const attempts = attemptsOf(lastHour)
    return {
      webhooks: webhookCountsJson(webhooks),
      last_hour: {
        deliveries: endedJson(lastHour.deliveries),
        success_rate: deliveredShare(lastHour.deliveries),
        attempts: attempts.all,
        failed_attempts: attempts.failed,
        response_ms: percentilesJson(lastHour.responseMs),
      },
      pending: queue.pending,
      due: queue.due,
      oldest_due_at: isoTimeOrNull(queue.oldestDueAt),
      oldest_pending: oldestPendingJson(ctx, oldestPending, await deliveryIds(ctx, oldestPending)),
    }
  })
}

async function deliveryIds(ctx: Context, oldest: PendingDelivery | null) {
  const workspaceIds = oldest === null ? [] : [oldest.workspaceId]
  const [workspace] = await ctx.storage.stats.describeWorkspaces({ workspaceIds })
  return (pending: PendingDelivery): string =>
    workspace === undefined || !ctx.dialects.has(workspace.dialect)
      ? String(pending.id)
      : ctx.engine.ids.delivery(workspace, pending)
}
