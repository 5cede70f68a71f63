import { effectiveStatus, type StoredWebhook } from './rows.ts'
import { type Calls, end, type StoreState } from './state.ts'

/** Disables a webhook, which cancels its pending deliveries. */
export function disable(state: StoreState, webhook: StoredWebhook, now: number): void {
  if (webhook.status !== 'off') {
    if (webhook.status === 'on') webhook.stoppedAt = now
    webhook.status = 'off'
    webhook.disabledVersion = webhook.version + 1
    webhook.disabledAt = now
  }
  changed(state, webhook, now)
  cancel(state, webhook, now)
}

/** Marks the webhook as changed. */
export function changed(state: StoreState, webhook: StoredWebhook, now: number): void {
  webhook.version++
  webhook.updatedAt = now
  if (effectiveStatus(webhook) !== 'on' || webhook.deletedAt !== null) cancelRecoveries(state, webhook, now)
  state.onChanged([webhook.id])
}

/** A recovery continues as long as its webhook is enabled. */
export function cancelRecoveries(state: StoreState, webhook: StoredWebhook, now: number): void {
  for (const replay of state.replays) {
    const { trigger, webhookId, doneAt, canceledAt, finishedAt, id } = replay.row
    if (trigger !== 'recover' || webhookId !== webhook.id || doneAt !== null || canceledAt !== null) continue
    replay.row = { ...replay.row, canceledAt: now, finishedAt: finishedAt ?? now }
    if (finishedAt === null) state.note({ kind: 'replayEnded', replayId: id })
  }
}

/** The mark on the webhook has the effect; the rows follow in steps. */
export function cancel(state: StoreState, webhook: StoredWebhook, now: number): void {
  state.canceling.add(webhook)
  webhook.canceledThrough = state.deliveries.length
  webhook.canceledAt = now
  sweep(state, [webhook], state.sizes.canceledAtOnce)
}

export function cancelCalls(state: StoreState): Calls<'cancelDeliveries'> {
  return {
    cancelDeliveries: ({ limit }) => sweep(state, [...state.canceling], limit),
  }
}

/** @returns rows handled, including finished webhooks */
function sweep(state: StoreState, webhooks: readonly StoredWebhook[], limit: number): number {
  let left = limit
  for (const webhook of webhooks) {
    const marked = webhook.waiting.items.filter(({ id }) => id <= webhook.canceledThrough!)
    const ended = new Set(marked.slice(0, left))
    for (const delivery of ended) end(delivery, 'canceled', webhook.canceledAt!)
    if (ended.size > 0) {
      webhook.waiting.refill(webhook.waiting.items.filter((delivery) => !ended.has(delivery)))
      state.due.note(webhook)
    }
    left -= ended.size
    if (left === 0) break
    for (const delivery of webhook.leased)
      if (delivery.status === 'pending' && delivery.id <= webhook.canceledThrough!)
        end(delivery, 'canceled', webhook.canceledAt!)
    webhook.canceledThrough = null
    webhook.canceledAt = null
    state.canceling.delete(webhook)
    left--
    if (left === 0) break
  }
  return limit - left
}
