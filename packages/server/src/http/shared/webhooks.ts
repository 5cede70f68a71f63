import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkTargetUrl } from '../../core/targets/index.ts'
import type { By, CreateWebhookOutcome, WebhookUpdateInput } from '../../engine/engine.ts'
import type { Webhook, WebhookFields, Workspace } from '../../storage/rows.ts'
import type { OtherVersion } from '../../storage/storage.ts'
import { callerOf, creatorOf, mustBeCreator } from './auth.ts'
import { changing } from './changes.ts'
import type { ServiceContext } from './context.ts'
import { changedMeanwhile, setETag, versionsInIfMatch } from './etag.ts'
import { eventTypeErrors } from './eventTypes.ts'
import { invalidRequest, notFound, Problem } from './problems.ts'
import type { Mistakes } from './validation.ts'

/**
 * Checks a target.
 * @returns its normalized form; the empty string if it was rejected or is no string
 */
function checkUrl(ctx: ServiceContext, url: unknown, mistakes: Mistakes): string {
  // The schema reports a value that is no string.
  if (typeof url !== 'string') return ''
  const check = checkTargetUrl(url, ctx.egressRules)
  if (check.ok) return check.url
  mistakes.addInstead('/url', check.reason)
  return ''
}

/** Members of a request body under the store's names, not yet validated; `undefined`: not sent. */
type SentFields = { readonly [Field in 'url' | 'eventTypes' | 'description']: unknown }

/**
 * Checks the URL and the event types of a webhook beyond what the schema says.
 * @param typesAt pointer to the event types, which the services name differently
 * @returns the fields that were sent; valid if `mistakes` stays empty
 */
export function readFields(
  ctx: ServiceContext,
  sent: SentFields,
  typesAt: string,
  mistakes: Mistakes,
): Partial<WebhookFields> {
  const url = sent.url === undefined ? undefined : checkUrl(ctx, sent.url, mistakes)
  mistakes.addAll(eventTypeErrors(ctx.dialect.catalog, sent.eventTypes, typesAt))
  const fields = Object.entries({ ...sent, url }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields)
}

/** What finding a webhook takes. */
type WebhookReader = Pick<ServiceContext, 'dialect' | 'storage'>

/** @throws Problem `not_found`, also for ids that are not even of the right form */
export async function findWebhook(ctx: WebhookReader, workspace: Workspace, id: string): Promise<Webhook> {
  const webhook = await webhookOrNull(ctx, workspace, id)
  if (webhook === null) throw notFound('webhook')
  return webhook
}

export async function webhookOrNull(
  ctx: WebhookReader,
  workspace: Workspace,
  id: string,
): Promise<Webhook | null> {
  const { webhook: format } = ctx.dialect.ids
  const bytes = format.parse(id)
  if (bytes === null) return null
  return ctx.storage.webhooks.getWebhook({ workspaceId: workspace.id, publicId: format.format(bytes) })
}

/**
 * The webhook that a filter names, if it names one.
 * @param parameter where the filter was given
 * @throws Problem `invalid_request` when there is none
 */
export async function webhookIdOf(
  ctx: WebhookReader,
  workspace: Workspace,
  id: string | undefined,
  parameter: { readonly name: string; readonly where: string },
): Promise<number | null> {
  if (id === undefined) return null
  const webhook = await webhookOrNull(ctx, workspace, id)
  if (webhook !== null) return webhook.id
  const message = 'is not a webhook of this workspace'
  throw invalidRequest([{ pointer: `/${parameter.name}`, message }], parameter.where)
}

/** A request that changes the webhook its path names. */
interface ChangingRequest extends FastifyRequest {
  readonly params: { readonly id: string }
}

/** The webhook that a caller may change. @throws Problem `not_found` or `not_creator` */
export async function findOwnWebhook(ctx: ServiceContext, request: FastifyRequest): Promise<Webhook> {
  const caller = callerOf(request)
  const { id } = (request as ChangingRequest).params
  const webhook = await findWebhook(ctx, caller.workspace, id)
  mustBeCreator(caller, webhook)
  return webhook
}

/** Answers with the webhook as it was created, and its secret. */
export async function create(
  ctx: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  input: Partial<WebhookFields>,
) {
  const caller = callerOf(request)
  // The schema requires the URL.
  const webhook = { url: '', ...input, workspace: caller.workspace, createdBy: creatorOf(caller) }
  const result = await changing(ctx, request, (by) => ctx.engine.createWebhook(webhook, by))
  const made = created(ctx, result)
  setETag(reply, made.webhook)
  return made
}

function created({ dialect }: ServiceContext, result: CreateWebhookOutcome) {
  if (result.outcome === 'created') return result
  if (result.outcome === 'workspace_not_found') throw notFound('workspace')
  const { webhooksVariable } = dialect.limits
  const orAsk = webhooksVariable === null ? '' : `, or ask the operator to raise ${webhooksVariable}`
  throw new Problem(
    'webhook_limit_reached',
    `The workspace has the maximum of ${result.max} webhooks. Delete one first${orAsk}.`,
  )
}

/** Changes a webhook. @throws Problem `not_found`, `webhook_not_on` or `version_mismatch` */
export async function update(
  ctx: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  webhook: Webhook,
  changes: WebhookUpdateInput,
): Promise<Webhook> {
  const { workspace } = callerOf(request)
  const result = await withVersions(ctx, request, (versions, by) =>
    ctx.engine.updateWebhook(workspace, webhook, changes, versions, by),
  )
  if (result.outcome === 'off') {
    throw new Problem(
      'webhook_not_on',
      'The webhook is disabled. To enable it, send "enabled": true as well.',
    )
  }
  setETag(reply, result.webhook)
  return result.webhook
}

/** Deletes the webhook that the path names. */
export async function remove(ctx: ServiceContext, request: FastifyRequest): Promise<void> {
  const webhook = await findOwnWebhook(ctx, request)
  const { workspace } = callerOf(request)
  await withVersions(ctx, request, (versions, by) =>
    ctx.engine.deleteWebhook(workspace, webhook, versions, by),
  )
}

/** Gives the webhook that the path names a new secret. */
export async function rotate(ctx: ServiceContext, request: FastifyRequest, reply: FastifyReply) {
  const webhook = await findOwnWebhook(ctx, request)
  const { workspace } = callerOf(request)
  const rotated = await withVersions(ctx, request, (versions, by) =>
    ctx.engine.rotateSecret(workspace, webhook, versions, by),
  )
  setETag(reply, rotated.webhook)
  return rotated
}

async function withVersions<Result extends { readonly outcome: string }>(
  ctx: ServiceContext,
  request: FastifyRequest,
  change: (versions: readonly number[] | null, by: By) => Promise<Result | null>,
): Promise<Exclude<Result, { readonly outcome: 'other_version' }>> {
  const versions = versionsInIfMatch(request.headers['if-match'])
  const result = await changing(ctx, request, (by) => change(versions, by))
  // Another request deleted it meanwhile.
  if (result === null) throw notFound('webhook')
  if (isOtherVersion(result)) throw changedMeanwhile(result)
  return result as Exclude<Result, { readonly outcome: 'other_version' }>
}

function isOtherVersion(result: { readonly outcome: string }): result is OtherVersion {
  return result.outcome === 'other_version'
}
