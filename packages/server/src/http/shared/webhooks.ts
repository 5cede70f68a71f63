import { checkTargetUrl } from '../../core/targets/index.ts'
import type { CreateWebhookOutcome } from '../../engine/engine.ts'
import type { DeliveryRecord, Webhook, Workspace } from '../../storage/rows.ts'
import type { ManualSendResult, WebhookUpdate } from '../../storage/storage.ts'
import type { DialectContext } from './context.ts'
import { notFound, Problem } from './problems.ts'
import type { Mistakes } from './validation.ts'

/**
 * Checks a target.
 * @returns its normalised form; the empty string when it was refused or is no string at all
 */
export function checkUrl(ctx: DialectContext, url: unknown, mistakes: Mistakes): string {
  // The schema says already what is wrong with a value that is no string.
  if (typeof url !== 'string') return ''
  const check = checkTargetUrl(url, ctx.egressRules)
  if (check.ok) return check.url
  mistakes.add('/url', check.reason)
  return ''
}

/** @throws Problem `not_found`, also for ids that are not even of the right form */
export async function findWebhook(ctx: DialectContext, workspace: Workspace, id: string): Promise<Webhook> {
  const wellFormed = ctx.dialect.ids.webhook.parse(id) !== null
  const webhook = wellFormed
    ? await ctx.storage.getWebhook({ workspaceId: workspace.id, publicId: id })
    : null
  if (webhook === null) throw notFound('webhook')
  return webhook
}

/** @throws Problem `not_found` */
export async function findDelivery(
  ctx: DialectContext,
  workspace: Workspace,
  id: string,
): Promise<DeliveryRecord> {
  const deliveryId = ctx.engine.ids.parseDelivery(workspace, id)
  const delivery =
    deliveryId === null ? null : await ctx.storage.getDelivery({ workspaceId: workspace.id, deliveryId })
  if (delivery === null) throw notFound('delivery')
  return delivery
}

/** @throws Problem `not_found`: somebody else deleted it while this request was under way */
export function stillThere<T>(found: T | null, what = 'webhook'): T {
  if (found === null) throw notFound(what)
  return found
}

/** The webhook after a change. @throws Problem `not_found` or `webhook_not_on` */
export function updatedWebhook(update: WebhookUpdate | null): Webhook {
  const result = stillThere(update)
  if (result.outcome === 'updated') return result.webhook
  throw new Problem('webhook_not_on', 'The webhook is off; send enabled true as well to turn it on.')
}

/** The webhook and its secret, or the problem that there is none. */
export function created(result: CreateWebhookOutcome) {
  if (result.outcome === 'created') return result
  if (result.outcome === 'workspace_not_found') throw notFound('workspace')
  throw new Problem(
    'webhook_limit_reached',
    `The workspace has its ${result.max} webhooks; delete one first.`,
  )
}

/**
 * The delivery that a test, a redelivery or a replay set off.
 * @param wrongStatus the problem of a delivery that is not in the right state
 */
export function manualSend(
  result: ManualSendResult,
  wrongStatus: 'delivery_not_finished' | 'delivery_not_dead',
): DeliveryRecord {
  switch (result.outcome) {
    case 'accepted':
      return result.delivery
    case 'not_found':
      throw notFound('delivery')
    case 'webhook_not_on':
      throw new Problem('webhook_not_on', `The webhook is ${result.status}; turn it on first.`)
    case 'wrong_status':
      throw new Problem(wrongStatus, `The delivery is ${result.status}.`)
    case 'rate_limited':
      throw rateLimited(result.retryAfterMs)
  }
}

function rateLimited(retryAfterMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  const detail = `Tests and redeliveries of the workspace share one limit; try again in ${seconds} s.`
  return new Problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } })
}
