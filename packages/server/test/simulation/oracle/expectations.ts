import type { Arrival } from '../receivers/receivers.ts'
import { askedBy } from '../receivers/retryAfters.ts'
import { type Contract, JITTER, LONGEST_RETRY_AFTER } from './contract.ts'

/** What must have become of a delivery. */
export interface ExpectedDelivery {
  readonly id: number
  readonly webhook: ExpectedWebhook
  /** The event, by its number. */
  readonly event: number
  /** When its event was stored, by the simulation's own time. */
  readonly storedAt: number
  /** Requests of which no result was recorded. */
  readonly open: Set<Arrival>
  /** Attempts over its whole life. */
  made: number
  /** Attempts of the present run, and how many it may have. */
  inRun: number
  allowed: number
  /** What set off the present run. */
  trigger: 'schedule' | 'redeliver' | 'replay' | 'recover'
  /** The number of the attempt that somebody asked for before it was due. */
  retryNumber: number | null
  status: 'pending' | 'delivered' | 'failed' | 'dead' | 'canceled'
  /** When the next attempt falls due, as whoever recorded the last one wrote it down; Unix ms. */
  dueAt: number
  /** The lease that holds it. */
  lease: { readonly id: number; readonly nodeId: number } | null
}

/** What must have become of a webhook. */
export interface ExpectedWebhook {
  readonly id: number
  readonly contract: Contract
  /** Its workspace, by the number that it has in the store. */
  readonly workspaceId: number
  types: readonly string[]
  readonly pending: Set<ExpectedDelivery>
  status: 'on' | 'paused' | 'off' | 'deleted'
  suspended: boolean
  failingSince: number | null
  /** The same by the simulation's own time. */
  failingTruly: number | null
  warned: boolean
  /** Position in the trace at which it was last switched off. */
  offAt: number
  /** When anything about it changed last, by the simulation's own time. */
  changedAt: number
}

/** Whether events go to it, and requests. */
export function isOn({ status, suspended }: ExpectedWebhook): boolean {
  return status === 'on' && !suspended
}

export type WebhookNews = 'gone' | 'failing' | 'warned'

/** Whether there was a response at all. */
export function responded({ answered, answer: { status } }: Arrival): boolean {
  return answered && typeof status === 'number'
}

/** Whether the sender had an answer that counts as received. */
export function succeeded({ answered, answer: { status } }: Arrival): boolean {
  return answered && typeof status === 'number' && status >= 200 && status < 300
}

export function isGone({ answered, answer: { status } }: Arrival): boolean {
  return answered && status === 410
}

/** Within which times the next attempt must fall due after this one failed. */
export function dueWindow(
  { waits }: Contract,
  inRun: number,
  { endedNow, answered, answer: { retryAfter } }: Arrival,
): [from: number, to: number] {
  const wait = waits[inRun - 1]!
  const asks = retryAfter === null || !answered ? 0 : askedBy(retryAfter, endedNow)
  const asked = Math.min(asks, LONGEST_RETRY_AFTER)
  const within = (share: number) => endedNow + Math.max(Math.round(wait * share), asked)
  return [within(1 - JITTER), within(1 + JITTER)]
}

/** Moves a delivery on by its next attempt, which ended like `arrival`. */
export function moveDelivery(delivery: ExpectedDelivery, arrival: Arrival): void {
  const { webhook } = delivery
  const { contract, pending, status } = webhook
  delivery.made++
  delivery.inRun++
  const gone = isGone(arrival) && contract.givesUp
  if (succeeded(arrival)) delivery.status = 'delivered'
  else if (status === 'off' || status === 'deleted' || delivery.status === 'canceled')
    delivery.status = 'canceled'
  else if (gone || delivery.inRun === delivery.allowed) delivery.status = contract.usedUp
  if (delivery.status !== 'pending') pending.delete(delivery)
}

export function cancelPending({ pending }: ExpectedWebhook): void {
  for (const delivery of pending) delivery.status = 'canceled'
  pending.clear()
}

/** What a node knows of the time as it records an attempt; Unix ms. */
interface Known {
  readonly now: number
  /** The clock has not leapt since. */
  readonly steadySince: number | null
  /** The clock was set back from this time, and may be wrong. */
  readonly failingFrom: number | null
  /** When no node could send, which does not count. */
  readonly outages: readonly { readonly beganAt: number; readonly endedAt: number }[]
}

/**
 * Moves a webhook on by an attempt that ended like `arrival`. Time before the clock last leapt does not count as
 * failing, and neither does a time in the future.
 * @returns what its owner must hear
 */
export function moveWebhook(
  webhook: ExpectedWebhook,
  arrival: Arrival,
  { now, steadySince, failingFrom, outages }: Known,
): WebhookNews | null {
  const { contract, status } = webhook
  if (status === 'off' || status === 'deleted') return null
  if (succeeded(arrival)) {
    webhook.failingSince = null
    webhook.failingTruly = null
    webhook.warned = false
    return null
  }
  if (webhook.failingSince === null || webhook.failingSince > now)
    webhook.failingSince = Math.max(arrival.startedAt, failingFrom ?? 0)
  webhook.failingTruly ??= arrival.at
  const from = Math.max(webhook.failingSince, steadySince ?? Number.NEGATIVE_INFINITY)
  const closed = outages
    .map(({ beganAt, endedAt }) => Math.min(endedAt, now) - Math.max(beganAt, from))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0)
  const failingFor = now - from - closed
  const gone = isGone(arrival) && contract.givesUp
  if (gone || failingFor >= contract.offAfter) return gone ? 'gone' : 'failing'
  if (webhook.warned || failingFor < contract.warnedAfter) return null
  webhook.warned = true
  return 'warned'
}
