import type { Arrival } from '../receivers/receivers.ts'
import { askedBy } from '../receivers/retryAfters.ts'
import { type Contract, JITTER, LONGEST_RETRY_AFTER } from './contract.ts'

/** The expected state of a delivery. */
export interface ExpectedDelivery {
  readonly id: number
  readonly webhook: ExpectedWebhook
  /** The event, by its number. */
  readonly event: number
  /** When its event was stored, by the simulation's own time. */
  readonly storedAt: number
  /** Requests without a recorded result. */
  readonly open: Set<Arrival>
  /** Attempts over its whole life. */
  made: number
  /** Attempts of the current run, and how many it may have. */
  inRun: number
  allowed: number
  /** The trigger of the current run. */
  trigger: 'schedule' | 'redeliver' | 'replay' | 'recover'
  /** The number of the attempt that was requested before it was due. */
  retryNumber: number | null
  status: 'pending' | 'delivered' | 'failed' | 'dead' | 'canceled'
  /** When the next attempt is due, according to the record of the last one; Unix ms. */
  dueAt: number
  /** Its lease. */
  lease: { readonly id: number; readonly nodeId: number } | null
}

/** The expected state of a webhook. */
export interface ExpectedWebhook {
  readonly id: number
  readonly contract: Contract
  /** The number of its workspace in the store. */
  readonly workspaceId: number
  types: readonly string[]
  readonly pending: Set<ExpectedDelivery>
  status: 'on' | 'paused' | 'off' | 'deleted'
  suspended: boolean
  failingSince: number | null
  /** The same by the simulation's own time. */
  failingTruly: number | null
  warned: boolean
  /** Position in the trace at which it was last disabled. */
  offAt: number
  /** When it changed last, by the simulation's own time. */
  changedAt: number
}

/** Whether it gets events, and requests. */
export function isOn({ status, suspended }: ExpectedWebhook): boolean {
  return status === 'on' && !suspended
}

export type WebhookNews = 'gone' | 'failing' | 'warned'

/** Whether there was any response. */
export function responded({ answered, answer: { status } }: Arrival): boolean {
  return answered && typeof status === 'number'
}

/** Whether the sender got a successful answer. */
export function succeeded({ answered, answer: { status } }: Arrival): boolean {
  return answered && typeof status === 'number' && status >= 200 && status < 300
}

export function isGone({ answered, answer: { status } }: Arrival): boolean {
  return answered && status === 410
}

/** The period in which the next attempt must be due after this one failed. */
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

/** Applies the next attempt of a delivery, which ended like `arrival`. */
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

/** A node's knowledge of the time as it records an attempt; Unix ms. */
interface Known {
  readonly now: number
  /** The clock has not leapt since. */
  readonly steadySince: number | null
  /** The clock was set back from this time, and may be wrong. */
  readonly failingFrom: number | null
  /** Periods in which no node could send, which do not count. */
  readonly outages: readonly { readonly beganAt: number; readonly endedAt: number }[]
}

/**
 * Applies an attempt that ended like `arrival` to a webhook. Time before the last clock leap does not count
 * as failing, and neither does a time in the future.
 * @returns the expected message to its owner
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
