import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { typeOf } from '../../core/catalog.ts'
import { ATTEMPT_ERROR_CODES } from '../../core/delivery.ts'
import { checkTargetUrl } from '../../core/targets/index.ts'
import type { ShownSecret } from '../../engine/engine.ts'
import { operationalService } from '../../profiles/operational.ts'
import {
  ALERT_TYPES,
  type AlertType,
  type Creator,
  type DeliveryRecord,
  type Webhook,
  type Workspace,
} from '../../storage/rows.ts'
import { changing } from './changes.ts'
import type { Context } from './context.ts'
import { searchDeliveries, sendManually } from './deliveries.ts'
import { pageOf, pageQuery, searchCursor } from './pages.ts'
import { invalidRequest, notFound, Problem } from './problems.ts'
import { closed, nullable, oneOf, optional, targetUrl, time } from './schemas.ts'
import { signingSecret, signingSecretOmitted } from './shownOnce.ts'
import { isoTime, isoTimeOrNull } from './time.ts'
import type { Visibility } from './visibility.ts'

// The operational webhook of a workspace, or of the operator: a webhook of a hidden workspace that Posthorn itself publishes to.

/** What it is called in lists of changes. */
const DESCRIPTION = 'Operational webhook'

const types = Type.Array(oneOf(ALERT_TYPES, 'An operational event type.'), {
  maxItems: ALERT_TYPES.length,
  uniqueItems: true,
  description: 'The event types that it receives. Empty: all.',
})

const members = {
  id: Type.String({ description: 'Identifies it in its requests and in the audit log.' }),
  url: Type.String({ description: 'The URL that receives operational events.' }),
  events: types,
  failing_since: nullable(time('The first failed attempt since the last success.')),
  created_at: time('When it was created.'),
  updated_at: time('When it last changed.'),
}

export const OperationalWebhookSchema = closed(members, { title: 'OperationalWebhook' })
/** What is read: there may be none. */
export const CurrentOperationalWebhookSchema = closed(
  { webhook: nullable(closed(members, { description: 'The operational webhook. Null: there is none.' })) },
  { title: 'CurrentOperationalWebhook' },
)
export const OperationalWebhookWithSecretSchema = closed(
  { ...members, signing_secret: signingSecret(), secret_omitted: signingSecretOmitted },
  { title: 'OperationalWebhookWithSecret' },
)
const operationalInput = { url: targetUrl, events: types }
export const operationalBody = closed({ url: targetUrl, events: Type.Optional(types) })
export const operationalChanges = closed(optional(operationalInput), { minProperties: 1 })

export const OperationalDeliverySchema = closed(
  {
    id: Type.String({ description: 'The delivery.' }),
    event_id: Type.String({ description: 'The event: the `webhook-id` of its requests.' }),
    event_type: Type.String({ description: 'Its type.' }),
    status: oneOf(['pending', 'delivered', 'failed', 'canceled'], 'Its state.'),
    attempts: Type.Array(
      closed({
        started_at: time('Start of the attempt.'),
        status_code: nullable(Type.Integer({ description: 'Status of the response; null: there was none.' })),
        error_code: Type.Unsafe<(typeof ATTEMPT_ERROR_CODES)[number] | null>({
          type: ['string', 'null'],
          enum: [...ATTEMPT_ERROR_CODES, null],
          description: 'Why it failed, for programs. Null: it succeeded.',
        }),
        error_message: nullable(Type.String({ description: 'Why it failed and what to do about it.' })),
      }),
      { description: 'Oldest first.' },
    ),
    next_attempt_at: nullable(time('When the next attempt is due; null: it has ended.')),
    created_at: time('When the event was created.'),
  },
  { title: 'OperationalDelivery' },
)
export const OperationalDeliveryPage = pageOf(
  OperationalDeliverySchema,
  'OperationalDeliveryPage',
  searchCursor,
)
export const operationalDeliveriesQuery = closed(pageQuery)

/** Whose operational webhook, and who asks. */
export interface OperationalCaller {
  /** `null`: the operator's, which is for all workspaces. */
  readonly workspace: Workspace | null
  /** Who creates it. */
  readonly creator: Creator
  readonly visibility: Visibility
  /** Whether a key may change it that did not create it. */
  readonly mayChange: (webhook: Webhook) => void
}

interface Operational {
  /** The hidden one. */
  readonly workspace: Workspace
  readonly webhook: Webhook
}

const NOT_FOUND = 'operational webhook'

/** @throws Problem `not_found` */
async function find(ctx: Context, caller: OperationalCaller): Promise<Operational> {
  const found = await findIfAny(ctx, caller)
  if (found === null) throw notFound(NOT_FOUND)
  return found
}

async function findIfAny(ctx: Context, { workspace: owner }: OperationalCaller): Promise<Operational | null> {
  const workspace = await ctx.storage.alerts.getOperational({ workspaceId: owner?.id ?? null })
  if (workspace === null) return null
  const page = { workspaceId: workspace.id, limit: 1, before: null }
  const [webhook] = await ctx.storage.webhooks.listWebhooks(page)
  return webhook === undefined ? null : { workspace, webhook }
}

async function findToChange(ctx: Context, caller: OperationalCaller): Promise<Operational> {
  const found = await find(ctx, caller)
  caller.mayChange(found.webhook)
  return found
}

export async function getOperational(
  ctx: Context,
  caller: OperationalCaller,
): Promise<Static<typeof CurrentOperationalWebhookSchema>> {
  const found = await findIfAny(ctx, caller)
  return { webhook: found === null ? null : webhookJson(caller, found.webhook) }
}

interface Input {
  readonly url?: string
  readonly events?: readonly AlertType[]
}

export async function createOperational(
  ctx: Context,
  caller: OperationalCaller,
  request: FastifyRequest,
  input: Input & { readonly url: string },
): Promise<Static<typeof OperationalWebhookWithSecretSchema>> {
  const { url, events = [] } = input
  const target = checkedUrl(ctx, url)
  const { workspace: owner, creator: createdBy } = caller
  const dialect = operationalService.name
  const workspace = await ctx.storage.alerts.makeOperational({
    workspaceId: owner?.id ?? null,
    publicId: ctx.engine.ids.create(dialect, 'workspace'),
    dialect,
    now: ctx.clock.now(),
  })
  if (workspace === null) throw notFound('workspace')
  const webhook = { url: target, eventTypes: events, description: DESCRIPTION, workspace, createdBy }
  const made = await changing(ctx, request, (by) => ctx.engine.createWebhook(webhook, by))
  if (made.outcome === 'created') return withSecretJson(caller, made)
  if (made.outcome === 'workspace_not_found') throw notFound('workspace')
  throw new Problem(
    'webhook_limit_reached',
    'There is already an operational webhook. Change it, or delete it first.',
  )
}

export async function updateOperational(
  ctx: Context,
  caller: OperationalCaller,
  request: FastifyRequest,
  { url, events }: Input,
): Promise<Static<typeof OperationalWebhookSchema>> {
  const { workspace, webhook } = await findToChange(ctx, caller)
  const changes = {
    ...(url === undefined ? {} : { url: checkedUrl(ctx, url) }),
    ...(events === undefined ? {} : { eventTypes: events }),
  }
  const result = await changing(ctx, request, (by) =>
    ctx.engine.updateWebhook(workspace, webhook, changes, null, by),
  )
  if (result?.outcome !== 'updated') throw notFound(NOT_FOUND)
  return webhookJson(caller, result.webhook)
}

export async function deleteOperational(
  ctx: Context,
  caller: OperationalCaller,
  request: FastifyRequest,
): Promise<void> {
  const { workspace, webhook } = await findToChange(ctx, caller)
  const deleted = await changing(ctx, request, (by) => ctx.engine.deleteWebhook(workspace, webhook, null, by))
  if (deleted === null) throw notFound(NOT_FOUND)
}

export async function rotateOperational(
  ctx: Context,
  caller: OperationalCaller,
  request: FastifyRequest,
): Promise<Static<typeof OperationalWebhookWithSecretSchema>> {
  const { workspace, webhook } = await findToChange(ctx, caller)
  const rotated = await changing(ctx, request, (by) => ctx.engine.rotateSecret(workspace, webhook, null, by))
  if (rotated?.outcome !== 'rotated') throw notFound(NOT_FOUND)
  return withSecretJson(caller, rotated)
}

export async function testOperational(
  ctx: Context,
  caller: OperationalCaller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Static<typeof OperationalDeliverySchema>> {
  const { workspace, webhook } = await find(ctx, caller)
  const { catalog, testEvent } = operationalService
  const type = typeOf(catalog, testEvent!.type)!
  const own = { ...ctx, dialect: operationalService }
  const delivery = await sendManually(own, request, reply, null, (by) =>
    ctx.engine.sendTest(workspace, webhook, type, by),
  )
  return deliveryJson(ctx, workspace, delivery)
}

export async function listOperationalDeliveries(
  ctx: Context,
  caller: OperationalCaller,
  query: Static<typeof operationalDeliveriesQuery>,
): Promise<Static<typeof OperationalDeliveryPage>> {
  const { workspace } = await find(ctx, caller)
  const own = { ...ctx, dialect: operationalService }
  const asker = { workspace, visibility: caller.visibility }
  // Its workspace has no other webhook, so a cursor stays valid for one that is created later.
  const page = await searchDeliveries(own, asker, query, { webhookId: null, eventTypes: null })
  return {
    data: page.deliveries.map((delivery) => deliveryJson(ctx, workspace, delivery)),
    next_cursor: page.nextCursor,
  }
}

/** @throws Problem `invalid_request` */
function checkedUrl({ egressRules }: Context, url: string): string {
  const check = checkTargetUrl(url, egressRules)
  if (check.ok) return check.url
  throw invalidRequest([{ pointer: '/url', message: check.reason }])
}

const webhookJson = (
  { visibility }: OperationalCaller,
  webhook: Webhook,
): Static<typeof OperationalWebhookSchema> => ({
  id: webhook.publicId,
  url: visibility.url(webhook.url, webhook.createdBy),
  events: webhook.eventTypes as AlertType[],
  failing_since: isoTimeOrNull(webhook.failingSince),
  created_at: isoTime(webhook.createdAt),
  updated_at: isoTime(webhook.updatedAt),
})

const withSecretJson = (
  caller: OperationalCaller,
  { webhook, shown }: { readonly webhook: Webhook; readonly shown: ShownSecret },
): Static<typeof OperationalWebhookWithSecretSchema> => ({
  ...webhookJson(caller, webhook),
  signing_secret: shown.secret,
  secret_omitted: shown.omitted,
})

function deliveryJson(
  { engine }: Context,
  workspace: Workspace,
  delivery: DeliveryRecord,
): Static<typeof OperationalDeliverySchema> {
  const { eventId: id, broughtEventId: broughtId, createdAt } = delivery
  return {
    id: engine.ids.delivery(workspace, delivery),
    event_id: engine.ids.event(workspace, { id, broughtId, createdAt }),
    event_type: delivery.eventType,
    status: delivery.status as Static<typeof OperationalDeliverySchema>['status'],
    attempts: delivery.attempts.map((attempt) => ({
      started_at: isoTime(attempt.startedAt),
      status_code: attempt.statusCode,
      error_code: attempt.errorCode,
      error_message: attempt.errorMessage,
    })),
    next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
    created_at: isoTime(createdAt),
  }
}
