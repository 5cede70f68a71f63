import { type Contract, JITTER, LONGEST_RETRY_AFTER, OFF_AFTER, WARNED_AFTER } from './contract.ts'
import type { Arrival } from './receivers.ts'

/** What must have become of a delivery. Times in Unix ms. */
export interface ExpectedDelivery {
  /** The requests that its receiver saw, in that order. */
  readonly arrivals: readonly Arrival[]
  /** Attempts over its whole life. */
  made: number
  /** Attempts of the present run. */
  inRun: number
  /** What set off the present run. */
  trigger: 'schedule' | 'replay'
  status: 'pending' | 'delivered' | 'failed' | 'dead' | 'canceled'
  /** When the next attempt falls due. */
  dueAt: number
}

/** What must have become of a webhook. */
export interface ExpectedWebhook {
  readonly contract: Contract
  readonly types: readonly string[]
  readonly pending: Set<ExpectedDelivery>
  on: boolean
  failingSince: number | null
  warned: boolean
  /** From when on nothing may be sent, while it is off. */
  silentFrom: number
}

/** A request whose answer the sender had, or gave up on. */
export type EndedArrival = Arrival & { readonly endedAt: number }

export function hasEnded(arrival: Arrival): arrival is EndedArrival {
  return arrival.endedAt !== null
}

export type WebhookNews = 'gone' | 'failing' | 'warned'

export function succeeded({ answer: { status } }: Arrival): boolean {
  return typeof status === 'number' && status >= 200 && status < 300
}

/** Within which times the next attempt must fall due after this one failed. */
export function dueWindow(
  { waits }: Contract,
  inRun: number,
  arrival: EndedArrival,
): [from: number, to: number] {
  const wait = waits[inRun - 1]!
  const asked = Math.min(arrival.answer.retryAfter?.asksMs ?? 0, LONGEST_RETRY_AFTER)
  const within = (share: number) => arrival.endedAt + Math.max(Math.round(wait * share), asked)
  return [within(1 - JITTER), within(1 + JITTER)]
}

/** Moves a delivery on by its next attempt, which ended like `arrival`. */
export function moveDelivery(delivery: ExpectedDelivery, webhook: ExpectedWebhook, arrival: Arrival): void {
  const { contract, pending } = webhook
  delivery.made++
  delivery.inRun++
  const gone = arrival.answer.status === 410 && contract.givesUp
  if (succeeded(arrival)) delivery.status = 'delivered'
  else if (!webhook.on) delivery.status = 'canceled'
  else if (gone || delivery.inRun === contract.attempts) delivery.status = contract.usedUp
  if (delivery.status !== 'pending') pending.delete(delivery)
}

/** Moves a webhook on by an attempt that ended like `arrival`. @returns what its owner must hear */
export function moveWebhook(
  webhook: ExpectedWebhook,
  arrival: Arrival,
  recordedAt: number,
): WebhookNews | null {
  if (!webhook.contract.givesUp || !webhook.on) return null
  if (succeeded(arrival)) {
    webhook.failingSince = null
    webhook.warned = false
    return null
  }
  webhook.failingSince ??= arrival.at
  const failingFor = recordedAt - webhook.failingSince
  const gone = arrival.answer.status === 410
  if (gone || failingFor >= OFF_AFTER) {
    webhook.on = false
    for (const delivery of webhook.pending) delivery.status = 'canceled'
    webhook.pending.clear()
    return gone ? 'gone' : 'failing'
  }
  if (webhook.warned || failingFor < WARNED_AFTER) return null
  webhook.warned = true
  return 'warned'
}
