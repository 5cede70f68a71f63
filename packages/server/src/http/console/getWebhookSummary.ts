import { type Static, Type } from 'typebox'
import type { Dialect } from '../../core/dialect.ts'
import { manualSendLimit } from '../../engine/manage/manualSends.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import type { Creator, Webhook, Workspace } from '../../storage/rows.ts'
import type { MissedEvents } from '../../storage/storage.ts'
import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import { backlogJson, backlogSchema } from '../shared/backlogs.ts'
import type { Context, Route } from '../shared/context.ts'
import { OldestPendingSchema, oldestPendingJson, readOldestPending } from '../shared/currentState.ts'
import { writeCursor } from '../shared/pages.ts'
import { ANY_MEMBER_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { closed, nullable, oneOf, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { webhookParams } from './params.ts'
import { summariesOf, summaryMembers } from './webhookSummary.ts'

const createdBySchema = closed(
  {
    type: oneOf(['member', 'key'], 'A signed-in member, or an API key.'),
    id: Type.String({ description: 'The member or the key.' }),
    name: nullable(Type.String({ description: 'Name; null: deleted.' })),
    email: nullable(
      Type.String({
        description: 'Address of the member, or of the member the key was created for; null: no member.',
      }),
    ),
  },
  { description: 'Who created the webhook.' },
)

const secretSchema = closed({
  created_at: time('Since when it signs.'),
  expires_at: nullable(time('Until when it signs; null: it is the current one.')),
})

const stoppedBySchema = closed(
  {
    type: oneOf(['operator', 'key', 'member'], 'An operator, an API key, or a signed-in member.'),
    name: nullable(Type.String({ description: 'Name; null: deleted, or an operator.' })),
  },
  { description: 'Who paused or disabled it; null: no person did, or the audit entry has expired.' },
)

/** The newest entries of the audit log about a webhook that are searched for who stopped it. */
const MAX_ENTRIES = 20

/** Event types in a summary of missed events. */
const MAX_TYPES = 5

const missedCursor = nullable(
  Type.String({
    description: 'Send it as `after` to the feed of events, to read them; null: there are none.',
  }),
)

const missedSchema = closed(
  {
    count: Type.Integer({
      description:
        'Events of its types in that time. Counting stops after 10,000 events of the workspace, shared with `earlier`.',
    }),
    more: Type.Boolean({ description: 'Whether there can be more than the counted ones.' }),
    since: time('When it began to miss events, or the time of the oldest stored event if that is later.'),
    until: nullable(time('When it got events again; null: it still misses them.')),
    types: Type.Array(
      closed({
        type: Type.String({ description: 'The event type.' }),
        count: Type.Integer({ description: 'Number of events.' }),
      }),
      { description: `The types of most of them, at most ${MAX_TYPES}.` },
    ),
    cursor: missedCursor,
    earlier: nullable(
      closed(
        {
          count: Type.Integer({ description: 'Events of its types in earlier pauses.' }),
          more: Type.Boolean({ description: 'Whether there can be more than the counted ones.' }),
          since: time('Start of the first of these pauses, or of the stored events if that is later.'),
          cursor: missedCursor,
        },
        { description: 'Events that it missed in earlier pauses. Null: no such events are stored.' },
      ),
    ),
  },
  {
    description:
      'Events that it missed while it was last disabled or paused, or misses now. Null: it was neither disabled nor paused in the time of the stored events.',
  },
)

const retrySchema = closed(
  {
    status: oneOf(['running', 'done', 'failed', 'stopped'], 'Whether it is running, and how it ended.'),
    asked_at: time('When it was requested.'),
    delivered: Type.Integer({ description: 'Deliveries that it retried and that were delivered.' }),
    ended_at: nullable(time('When it ended.')),
  },
  { description: 'The last retry of all pending deliveries; null: there was none.' },
)

const manualSendsSchema = closed(
  {
    limit: Type.Integer({ description: 'Maximum tests and redeliveries of the workspace in 60 seconds.' }),
    remaining: Type.Integer({ description: 'How many of them are left now.' }),
    resets_at: nullable(time('When `remaining` increases by one; null: none were used.')),
  },
  { description: 'The limit on tests and redeliveries; null: there is none.' },
)

const DetailedSummarySchema = closed(
  {
    ...summaryMembers,
    created_by: createdBySchema,
    secrets: Type.Array(secretSchema, {
      description: 'The secrets that sign, newest first, without their values.',
    }),
    oldest_pending: OldestPendingSchema,
    off_at: nullable(time('Since when it has been disabled or paused. Null: it is enabled.')),
    stopped_by: nullable(stoppedBySchema),
    missed: nullable(missedSchema),
    retry: nullable(retrySchema),
    latest_recovery_id: nullable(
      Type.String({ description: 'The latest recovery, ended or not; null: none is kept.' }),
    ),
    manual_sends: nullable(manualSendsSchema),
    backlog: backlogSchema,
  },
  { title: 'DetailedWebhookSummary' },
)
type DetailedSummary = Static<typeof DetailedSummarySchema>

const schema = {
  operationId: 'getWebhookSummary',
  tags: ['Overviews'],
  summary: 'Get the state of a webhook',
  description:
    'The state of a webhook: its creator, its secrets, who paused or disabled it, the events that it missed while it was last paused or disabled, the last retry of pending deliveries, the last recovery, and why the oldest pending delivery waits.',
  params: webhookParams,
  response: { 200: DetailedSummarySchema, ...problemResponses(...ANY_MEMBER_PROBLEMS) },
}

export const getWebhookSummary: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/webhooks/:id/summary',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { workspace } = callerOf(request)
      const dialect = dialectOf(ctx.dialects, workspace.dialect)
      const webhook = await findWebhook({ ...ctx, dialect }, workspace, request.params.id)
      const ofWebhook = { workspaceId: workspace.id, webhookId: webhook.id }
      const [[summary], created_by, secrets, stopped_by, missed, retry, latest_recovery_id, ...others] =
        await Promise.all([
          summariesOf(ctx, workspace, [webhook]),
          createdByJson(ctx, workspace, webhook.createdBy),
          secretsJson(ctx, dialect, webhook),
          stoppedByJson(ctx, workspace, webhook),
          missedJson(ctx, workspace, webhook),
          retryJson(ctx, webhook),
          ctx.storage.log.latestRecovery({ webhookId: webhook.id }),
          manualSendsJson(ctx, dialect, workspace),
          ctx.engine.backlogOf(webhook),
          readOldestPending(ctx, ofWebhook),
        ])
      const [manual_sends, backlog, oldest] = others
      // It was deleted in the meantime.
      if (summary === undefined) throw notFound('webhook')
      const off_at = isoTimeOrNull(webhook.stoppedAt)
      const oldest_pending = oldestPendingJson(ctx, oldest, (one) => ctx.engine.ids.delivery(workspace, one))
      return {
        ...summary,
        created_by,
        secrets,
        oldest_pending,
        off_at,
        stopped_by,
        missed,
        retry,
        latest_recovery_id,
        manual_sends,
        backlog: backlogJson(backlog),
      }
    },
  )
}

async function createdByJson(
  { storage }: Context,
  { id: workspaceId }: Workspace,
  { type, publicId }: Creator,
): Promise<DetailedSummary['created_by']> {
  const key = type === 'key' ? await storage.accounts.getKey({ workspaceId, publicId }) : null
  const memberId = type === 'key' ? (key?.memberPublicId ?? null) : publicId
  const member =
    memberId === null ? null : await storage.accounts.getMember({ workspaceId, publicId: memberId })
  const { name = null } = (type === 'key' ? key : member) ?? {}
  return { type, id: publicId, name, email: member?.email ?? null }
}

async function secretsJson(
  { storage, clock }: Context,
  dialect: Dialect,
  { id: webhookId }: Webhook,
): Promise<DetailedSummary['secrets']> {
  const limit = dialect.secrets.maxSigning
  const secrets = await storage.webhooks.listSecrets({ webhookId, limit, now: clock.now() })
  return secrets.map(({ createdAt, expiresAt }) => ({
    created_at: isoTime(createdAt),
    expires_at: isoTimeOrNull(expiresAt),
  }))
}

async function stoppedByJson(
  { storage }: Context,
  { publicId: workspacePublicId }: Workspace,
  { publicId: targetId, status, offReason }: Webhook,
): Promise<DetailedSummary['stopped_by']> {
  if (status !== 'paused' && offReason !== 'manual') return null
  const newest = { limit: MAX_ENTRIES, before: null }
  const entries = await storage.audit.listAudit({ workspacePublicId, targetId, ...newest })
  const stop = entries.find(({ details }) => details.paused === true || details.enabled === false)
  if (stop === undefined || stop.actor.type === 'system') return null
  const { type, id } = stop.actor
  // Customers do not see who operates the service.
  const [named] = type === 'operator' || id === null ? [] : await storage.audit.namesOf({ publicIds: [id] })
  return { type, name: named?.name ?? null }
}

async function missedJson(
  ctx: Context,
  workspace: Workspace,
  { id: webhookId, workspaceId, eventTypes }: Webhook,
): Promise<DetailedSummary['missed']> {
  const { log } = ctx.storage
  const from = ctx.clock.now() - ctx.retentionMs
  const found = await log.missedOf({ workspaceId, webhookId, eventTypes, from })
  if (found === null) return null
  const { last, earlier } = found
  const cursorOf = ({ before }: MissedEvents) =>
    before === null ? null : writeCursor(ctx, { list: 'events', ownerId: workspace.id }, before)
  const nothingEarlier = earlier === null || (earlier.count === 0 && !earlier.more)
  return {
    count: last.count,
    more: last.more,
    since: isoTime(last.beganAt),
    until: isoTimeOrNull(last.endedAt),
    types: last.types.slice(0, MAX_TYPES).map(({ type, count }) => ({ type, count })),
    cursor: cursorOf(last),
    earlier: nothingEarlier
      ? null
      : {
          count: earlier.count,
          more: earlier.more,
          since: isoTime(earlier.beganAt),
          cursor: cursorOf(earlier),
        },
  }
}

async function retryJson(
  { storage }: Context,
  { id: webhookId }: Webhook,
): Promise<DetailedSummary['retry']> {
  const retry = await storage.log.getWebhookRetry({ webhookId })
  if (retry === null) return null
  const { outcome, askedAt, delivered, endedAt } = retry
  return {
    status: outcome ?? 'running',
    asked_at: isoTime(askedAt),
    delivered,
    ended_at: isoTimeOrNull(endedAt),
  }
}

async function manualSendsJson(
  { storage, clock }: Context,
  dialect: Dialect,
  { id: workspaceId }: Workspace,
): Promise<DetailedSummary['manual_sends']> {
  const limit = manualSendLimit(dialect)
  if (limit === null) return null
  const now = clock.now()
  const left = await storage.log.manualSendsLeft({ workspaceId, limit, now })
  const resets_at = left.resetMs === null ? null : isoTime(now + left.resetMs)
  return { limit: limit.max, remaining: left.remaining, resets_at }
}
