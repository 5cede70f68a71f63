import type { WebhookRetry } from '../../../src/storage/rows.ts'
import type { LimitState, ManualSendLimit, ManualSendResult } from '../../../src/storage/storage.ts'
import {
  effectiveStatus,
  type StoredDelivery,
  type StoredRetry,
  type StoredWebhook,
  toRecord,
} from './rows.ts'
import type { Calls, StoreState } from './state.ts'

type Refusal = Extract<ManualSendResult, { readonly outcome: 'not_found' | 'webhook_not_on' }>

/** The common part of all manual sends. */
export interface Manual {
  readonly refusal: (webhook: StoredWebhook | undefined) => Refusal | null
  /** Counts a send if the limit allows it. */
  readonly count: (workspaceId: number, limit: ManualSendLimit | null, now: number) => Counted
}

export type Counted =
  | { readonly outcome: 'allowed'; readonly limit: LimitState | null }
  | { readonly outcome: 'rate_limited'; readonly limit: LimitState }

/** Webhooks visited in one step. */
const MAX_WEBHOOKS = 50

export function retryCalls(
  state: StoreState,
  { refusal, count }: Manual,
): Calls<'retryDelivery' | 'retryWebhook' | 'getWebhookRetry' | 'stepRetries'> {
  /**
   * Webhooks with running retries: nearly always none, and simulations have tens of thousands of webhooks.
   */
  const running = new Set<StoredWebhook>()

  /** Makes waiting deliveries due. */
  function makeDue(webhook: StoredWebhook, deliveries: readonly StoredDelivery[], now: number): void {
    for (const delivery of deliveries) {
      delivery.nextAttemptAt = now
      delivery.retryNumber = delivery.attempts.length + 1
      state.note({ kind: 'retried', deliveryId: delivery.id, dueAt: now })
    }
    webhook.waiting.refill(webhook.waiting.items)
    state.due.note(webhook)
  }

  const waitsLonger = (now: number) => (delivery: StoredDelivery) => delivery.nextAttemptAt! > now

  function toRetry(
    { askedAt, delivered, outcome, endedAt }: StoredRetry,
    webhook: StoredWebhook,
  ): WebhookRetry {
    return { askedAt, delivered, outcome, endedAt, pending: webhook.waiting.items.length, more: false }
  }

  function step(webhook: StoredWebhook, retry: StoredRetry, places: number, now: number): number {
    const end = (outcome: StoredRetry['outcome']) => {
      Object.assign(retry, { batch: [], outcome, endedAt: now })
      running.delete(webhook)
      return 0
    }
    if (effectiveStatus(webhook) !== 'on' || webhook.deletedAt !== null) return end('stopped')
    const { batch } = retry
    const attempted = batch.filter(({ delivery, number }) => delivery.attempts.length >= number)
    const delivered = attempted.filter(({ delivery }) => delivery.status === 'delivered').length
    if (delivered < attempted.length) {
      retry.delivered += delivered
      return end('failed')
    }
    const isOpen = ({ delivery, number }: StoredRetry['batch'][number]) =>
      delivery.status === 'pending' && delivery.attempts.length < number
    if (batch.some(isOpen)) return 0
    retry.delivered += delivered
    retry.size = Math.min(batch.length === 0 ? 1 : retry.size * 2, places)
    const next = webhook.waiting.items
      .filter(waitsLonger(now))
      .sort((a, b) => a.nextAttemptAt! - b.nextAttemptAt! || a.id - b.id)
      .slice(0, retry.size)
    if (next.length === 0) return end('done')
    retry.batch = next.map((delivery) => ({ delivery, number: delivery.attempts.length + 1 }))
    makeDue(webhook, next, now)
    return next.length
  }

  return {
    retryDelivery({ workspaceId, deliveryId, limit, now }) {
      const delivery = state.delivery(workspaceId, deliveryId)
      if (delivery === undefined) return { outcome: 'not_found' }
      const refused = refusal(delivery.webhook)
      if (refused !== null) return refused
      const { status } = toRecord(delivery)
      if (status !== 'pending') return { outcome: 'wrong_status', status }
      const counted = count(workspaceId, limit, now)
      if (counted.outcome === 'rate_limited') return counted
      if (delivery.lease === null && waitsLonger(now)(delivery)) makeDue(delivery.webhook, [delivery], now)
      return { outcome: 'accepted', delivery: toRecord(delivery), limit: counted.limit }
    },
    retryWebhook({ workspaceId, webhookId, limit, now }) {
      const webhook = state.webhook(workspaceId, webhookId)
      const refused = refusal(webhook)
      if (refused !== null) return refused
      const counted = count(workspaceId, limit, now)
      if (counted.outcome === 'rate_limited') return counted
      const before = webhook!.retry
      const started = before === null || before.endedAt !== null
      if (started)
        webhook!.retry = { askedAt: now, delivered: 0, outcome: null, endedAt: null, batch: [], size: 1 }
      running.add(webhook!)
      return { outcome: 'accepted', retry: toRetry(webhook!.retry!, webhook!), started, limit: counted.limit }
    },
    getWebhookRetry({ webhookId }) {
      const webhook = state.webhooks[webhookId - 1]
      return webhook?.retry == null ? null : toRetry(webhook.retry, webhook)
    },
    stepRetries({ now, places, afterWebhookId }) {
      const next = [...running]
        .filter(({ id }) => id > afterWebhookId)
        .sort((a, b) => a.id - b.id)
        .slice(0, MAX_WEBHOOKS)
      let asked = 0
      for (const webhook of next) asked += step(webhook, webhook.retry!, places, now)
      return { asked, nextAfterWebhookId: next.length < MAX_WEBHOOKS ? 0 : next.at(-1)!.id }
    },
  }
}
