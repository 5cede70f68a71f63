import { Type } from 'typebox'
import { DISABLED_LATELY_MS } from '../../engine/maintenance/watches.ts'
import type { Workspace } from '../../storage/rows.ts'
import type { QueuePosition } from '../../storage/storage.ts'
import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Context, Route } from '../shared/context.ts'
import {
  OldestPendingSchema,
  oldestPendingJson,
  readOldestPending,
  WebhookCountsSchema,
  webhookCountsJson,
} from '../shared/currentState.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, time } from '../shared/schemas.ts'
import { isoTime } from '../shared/time.ts'
import { workspaceParams } from './params.ts'

/** Failing webhooks that are listed. */
const MAX_NAMED = 20
/** Parts of the queue that are counted, of 2,000 deliveries each. */
const MAX_PARTS = 5

const OverviewSchema = closed(
  {
    webhooks: WebhookCountsSchema,
    failing: Type.Array(
      closed(
        {
          webhook_id: Type.String({ description: 'The webhook.' }),
          url: Type.String({ description: 'The URL that receives its requests.' }),
          description: Type.String({ description: 'Its description.' }),
          failing_since: time('The first failed attempt since the last success.'),
        },
        { title: 'FailingNow' },
      ),
      {
        description: `The failing webhooks, longest failing first, at most ${MAX_NAMED}.`,
      },
    ),
    pending: closed(
      {
        count: Type.Integer({ description: 'Pending deliveries.' }),
        more: Type.Boolean({ description: 'Whether there are more than the counted ones.' }),
      },
      { description: 'The deliveries that wait in the store.' },
    ),
    oldest_pending: OldestPendingSchema,
  },
  { title: 'WorkspaceOverview' },
)

const schema = {
  operationId: 'getWorkspaceOverview',
  tags: ['Overviews'],
  summary: 'Get an overview of a workspace',
  description:
    'The number of failing webhooks, and the longest failing ones; the number of pending deliveries, and why the oldest one waits.',
  params: workspaceParams,
  response: { 200: OverviewSchema, ...problemResponses(...ANY_MEMBER_PROBLEMS) },
}

export const getOverview: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/overview',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { workspace } = callerOf(request)
      const { id: workspaceId } = workspace
      const disabledSince = ctx.clock.now() - DISABLED_LATELY_MS
      const [counts, failing, pending, oldest] = await Promise.all([
        ctx.storage.stats.countWebhooks({ workspaceId, disabledSince }),
        namesOfFailing(ctx, workspaceId),
        countPending(ctx, workspaceId),
        readOldestPending(ctx, { workspaceId, webhookId: null }),
      ])
      return {
        webhooks: webhookCountsJson(counts),
        failing,
        pending,
        oldest_pending: oldestPendingJson(ctx, oldest, (one) => ctx.engine.ids.delivery(workspace, one)),
      }
    },
  )
}

async function namesOfFailing({ storage }: Context, workspaceId: Workspace['id']) {
  const found = await storage.stats.listFailing({ workspaceId, limit: MAX_NAMED, after: null })
  const described = await storage.stats.describeWebhooks({ webhookIds: found.map(({ id }) => id) })
  const byId = new Map(described.map(({ webhook }) => [webhook.id, webhook]))
  return found.flatMap(({ id, failingSince }) => {
    const webhook = byId.get(id)
    if (webhook === undefined) return []
    const { publicId, url, description } = webhook
    return [{ webhook_id: publicId, url, description, failing_since: isoTime(failingSince) }]
  })
}

async function countPending({ storage }: Context, workspaceId: Workspace['id']) {
  let count = 0
  let from: QueuePosition | null = null
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const part: Awaited<ReturnType<typeof storage.sending.countPending>> = await storage.sending.countPending(
      {
        workspaceId,
        from,
      },
    )
    count += part.pending
    from = part.next
    if (from === null) break
  }
  return { count, more: from !== null }
}
