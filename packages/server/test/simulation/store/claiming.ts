import { isLimited, portionOf } from '../../../src/core/limit.ts'
import type { CallParams, CallResult } from '../../../src/storage/callGroups.ts'
import type { LeasedDelivery, WebhookRef } from '../../../src/storage/rows.ts'
import {
  effectiveStatus,
  isClaimable,
  type StoredDelivery,
  type StoredLease,
  type StoredWebhook,
  toLeased,
} from './rows.ts'
import type { Calls, StoreState } from './state.ts'

export function claimCalls(state: StoreState): Calls<'claimDue' | 'releaseLimits' | 'loadTargets'> {
  /** @returns the first delivery that was left, if any */
  function takeDue(
    { waiting }: StoredWebhook,
    room: number,
    now: number,
    lease: StoredLease,
    taken: LeasedDelivery[],
  ): StoredDelivery | undefined {
    for (let left = room; ; left--) {
      const delivery = waiting.first
      if (delivery === undefined || delivery.nextAttemptAt! > now || left === 0) return delivery
      waiting.pop()
      state.lease(delivery, lease)
      taken.push(toLeased(delivery))
    }
  }

  /** How many deliveries of a webhook the node may take; `null`: another one sends to it. */
  function portion(webhook: StoredWebhook, { nodeId, perWebhook }: CallParams<'claimDue'>): number | null {
    if (!isLimited(webhook)) return perWebhook
    const owner = state.limitOwners.get(webhook.id)
    if (owner !== undefined && owner !== nodeId && state.nodes.has(owner)) return null
    state.limitOwners.set(webhook.id, nodeId)
    return Math.min(perWebhook, portionOf(webhook))
  }

  /** Visits webhooks with due deliveries, in the order of their ids. */
  function goOver(params: CallParams<'claimDue'>, lease: StoredLease): CallResult<'claimDue'> {
    const { now, limit, afterWebhookId } = params
    const exceptWorkspaces = new Set(params.exceptWorkspaces)
    const except = new Set(params.except)
    const isLeftOut = (webhook: StoredWebhook) => except.has(webhook.id) || !isClaimable(webhook)
    const deliveries: LeasedDelivery[] = []
    const more: WebhookRef[] = []
    const elsewhere: WebhookRef[] = []
    const later: number[] = []
    let nextAfterWebhookId = 0
    const refOf = ({ id: webhookId, workspace }: StoredWebhook) => ({ webhookId, workspaceId: workspace.id })
    const noteLeft = (webhook: StoredWebhook, dueAt: number) => {
      if (dueAt <= now) more.push(refOf(webhook))
      else later.push(dueAt)
    }
    const take = (webhook: StoredWebhook) => {
      const most = exceptWorkspaces.has(webhook.workspace.id) ? 0 : portion(webhook, params)
      if (most === null) elsewhere.push(refOf(webhook))
      else {
        const room = Math.min(most, limit - deliveries.length)
        const dueAt = takeDue(webhook, room, now, lease, deliveries)?.nextAttemptAt ?? null
        if (dueAt !== null) noteLeft(webhook, dueAt)
      }
    }
    for (const webhook of state.due.due(now, afterWebhookId)) {
      if (isLeftOut(webhook)) continue
      take(webhook)
      if (deliveries.length < limit) continue
      nextAfterWebhookId = webhook.id
      break
    }
    const next = state.due.next(now, isLeftOut)
    if (next !== null) later.push(next)
    const nextDueAt = later.length === 0 ? null : Math.min(...later)
    return { deliveries, more, elsewhere, nextAfterWebhookId, nextDueAt }
  }

  return {
    claimDue(params) {
      const { nodeId, now } = params
      if (!state.lives(nodeId))
        return { deliveries: [], more: [], elsewhere: [], nextAfterWebhookId: 0, nextDueAt: null }
      const lease = state.newLease(nodeId)
      const result = goOver(params, lease)
      state.keepLease(lease, now)
      return result
    },
    releaseLimits({ nodeId, webhookIds }) {
      for (const id of webhookIds) if (state.limitOwners.get(id) === nodeId) state.limitOwners.delete(id)
    },
    loadTargets({ webhookIds, now }) {
      return webhookIds.flatMap((id) => {
        const webhook = state.webhooks[id - 1]!
        if (webhook.deletedAt !== null) return []
        const { made, workspace, version, url, maxPerSecond, maxInFlight } = webhook
        const status = effectiveStatus(webhook)
        const signing = webhook.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
        const { publicId, workspaceId } = made
        const { dialect, slug: workspaceSlug } = workspace.made
        const target = {
          id,
          workspaceId,
          publicId,
          version,
          dialect,
          workspaceSlug,
          url,
          status,
          maxPerSecond,
          maxInFlight,
        }
        return [{ ...target, secrets: signing.reverse() }]
      })
    },
  }
}
