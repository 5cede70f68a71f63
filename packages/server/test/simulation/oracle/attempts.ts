import type { Arrival } from '../receivers/receivers.ts'
import type { Entry, EntryOf } from '../trace.ts'
import type { Acquaintance } from './acquaintance.ts'
import { JITTER } from './contract.ts'
import {
  dueWindow,
  type ExpectedDelivery,
  isGone,
  moveDelivery,
  moveWebhook,
  succeeded,
  type WebhookNews,
} from './expectations.ts'
import type { Check, Findings } from './findings.ts'
import type { Ledger } from './ledger.ts'
import type { Processes } from './processes.ts'

/** Of this many waits some must be much shorter than the contract's and some much longer. */
const SHARES_JUDGED = 200
/** For shorter ones, whole milliseconds are too coarse. */
const LONG_WAIT_MS = 100

/**
 * Recorded attempts must match receivers' requests; the next attempt must be due as the contract says; and
 * webhooks must be warned about and disabled exactly as it says.
 */
export class Attempts implements Check {
  readonly #findings: Findings
  readonly #ledger: Ledger
  readonly #processes: Processes
  readonly #acquaintance: Acquaintance
  readonly #clockErrorMs: number
  /** Expected changes of webhooks before anything but results of the same call. */
  readonly #news = new Map<number, WebhookNews>()
  /** The call whose results are being read. */
  #call = ''
  /** Requests that did not leave their node. */
  readonly #unsent = new Set<string>()
  /** Waits as shares of those in the contract, if no receiver asked for more. */
  readonly #shares: number[] = []

  /** @param clockErrorMs how much longer a time of failing may seem because clocks were set */
  constructor(
    ledger: Ledger,
    processes: Processes,
    acquaintance: Acquaintance,
    clockErrorMs: number,
    findings: Findings,
  ) {
    this.#ledger = ledger
    this.#processes = processes
    this.#acquaintance = acquaintance
    this.#clockErrorMs = clockErrorMs
    this.#findings = findings
  }

  read(entry: Entry): void {
    if (entry.kind === 'attempted') this.#readAttempted(entry)
    else if (entry.kind === 'unsent') this.#unsent.add(`${entry.process} ${entry.receiver} ${entry.event}`)
    else if (entry.kind === 'disabled') this.#heard(entry.webhookId, entry.reason)
    else if (entry.kind === 'warned') this.#heard(entry.webhookId, 'warned')
    else if (entry.kind !== 'refused' && this.#news.size > 0) this.#heardAll()
  }

  end(): void {
    this.#heardAll()
    if (this.#shares.length < SHARES_JUDGED) return
    const [least, most] = [Math.min(...this.#shares), Math.max(...this.#shares)]
    this.#findings.check(
      least < 1 - JITTER / 2 && most > 1 + JITTER / 2,
      () =>
        `${this.#shares.length} waits are ${least} to ${most} times those of the contract: receivers are hit in step`,
    )
  }

  #readAttempted(entry: EntryOf<'attempted'>): void {
    const { nodeId, now, result, at } = entry
    const call = `${nodeId} ${at} ${now}`
    if (call !== this.#call) this.#heardAll()
    this.#call = call
    const { deliveryId, attempt } = result
    const delivery = this.#ledger.deliveries.get(deliveryId)!
    const { webhook } = delivery
    const what = `attempt ${attempt.number} of delivery ${deliveryId}`
    const seen = this.#requestOf(delivery, entry)
    const arrival = seen ?? this.#notSent(delivery, entry)
    if (arrival === undefined) {
      this.#findings.check(false, () => `${what} was recorded, but its receiver has not seen it`, {
        deliveryId,
      })
      return
    }
    if (seen !== undefined) {
      delivery.open.delete(seen)
      this.#checkRecord(what, entry, delivery, seen)
    }
    moveDelivery(delivery, arrival)
    this.#checkNext(what, delivery, arrival, result.next)
    const spell = webhook.failingTruly ?? arrival.at
    const news = moveWebhook(webhook, arrival, entry)
    if (news === 'failing') this.#checkFailing(webhook.id, at - spell, webhook.contract.offAfter)
    if (news === 'gone' || news === 'failing') this.#ledger.disabled(webhook, at)
    if (news !== null) this.#news.set(webhook.id, news)
    // A webhook that received again within the same call needs no warning.
    else if (succeeded(arrival) && this.#news.get(webhook.id) === 'warned') this.#news.delete(webhook.id)
  }

  #requestOf({ open }: ExpectedDelivery, { nodeId, result }: EntryOf<'attempted'>): Arrival | undefined {
    const process = this.#processes.byNodeId(nodeId)?.number
    const { attempt } = result
    const possible = [...open].filter(
      (arrival) =>
        arrival.process === process && arrival.startedAt === attempt.startedAt && arrival.endedAt !== null,
    )
    // The clock of nodes that share a database stands still after it was set back, so several may have begun
    // at one time.
    return possible.find((arrival) => isAsSeen(attempt, arrival)) ?? possible[0]
  }

  /** Attempts that count though they did not leave their node: the cause could not be determined. */
  #notSent(
    { event, webhook }: ExpectedDelivery,
    { nodeId, result: { attempt }, at }: EntryOf<'attempted'>,
  ): Arrival | undefined {
    const process = this.#processes.byNodeId(nodeId)?.number
    const receiver = webhook.id - 1
    const wasUnsent = this.#unsent.delete(`${process} ${receiver} ${event}`)
    if (process === undefined || !wasUnsent || !this.#acquaintance.cannotTell(process, at)) return undefined
    const { startedAt, durationMs: tookMs } = attempt
    return {
      ...{ at, startedAt, monotonic: 0, process, receiver, path: '', event, answered: false, tookMs },
      answer: { status: 'none', afterMs: 0, retryAfter: null },
      endedAt: at,
      endedNow: startedAt + tookMs,
    }
  }

  /** The record must match the receiver's request. */
  #checkRecord(
    what: string,
    { result: { attempt } }: EntryOf<'attempted'>,
    { id: deliveryId, made, inRun, trigger, retryNumber, webhook }: ExpectedDelivery,
    arrival: Arrival,
  ): void {
    const about = { deliveryId }
    this.#findings.check(
      attempt.number === made + 1,
      () => `${what} was recorded as the one after ${made} others`,
      about,
    )
    this.#findings.check(
      isAsSeen(attempt, arrival),
      () => `${what} is recorded otherwise than its receiver saw it`,
      about,
    )
    const scheduled = inRun === 0 ? trigger : 'schedule'
    const expected = retryNumber === made + 1 ? 'retry' : scheduled
    this.#findings.check(
      attempt.trigger === expected,
      () => `${what} is recorded with the trigger ${attempt.trigger}, not ${expected}`,
      about,
    )
    const { timeout } = webhook.contract
    this.#findings.check(
      arrival.answered || arrival.tookMs >= timeout,
      () => `${what} was given ${arrival.tookMs} ms for an answer, not ${timeout}`,
      about,
    )
    this.#findings.count('attempted')
  }

  /** @param next its record */
  #checkNext(
    what: string,
    delivery: ExpectedDelivery,
    arrival: Arrival,
    next: EntryOf<'attempted'>['result']['next'],
  ): void {
    const { status, inRun, webhook, id: deliveryId } = delivery
    const about = { deliveryId }
    // The node could not know of a cancelation in the meantime.
    const expected = status === 'canceled' ? this.#uncanceled(delivery, arrival) : status
    this.#findings.check(
      next.status === expected,
      () => `${what} left the delivery ${next.status}, not ${expected}`,
      about,
    )
    if (next.status !== 'pending' || expected !== 'pending') return
    const [from, to] = dueWindow(webhook.contract, inRun, arrival)
    const { nextAttemptAt } = next
    const { endedNow } = arrival
    this.#findings.check(
      nextAttemptAt >= from && nextAttemptAt <= to,
      () =>
        `the wait after ${what} is ${nextAttemptAt - endedNow} ms and must be ${from - endedNow} to ${to - endedNow}`,
      about,
    )
    if (status === 'pending') delivery.dueAt = nextAttemptAt
    const wait = webhook.contract.waits[inRun - 1]!
    if (from !== to && wait >= LONG_WAIT_MS && this.#shares.length < SHARES_JUDGED)
      this.#shares.push((nextAttemptAt - endedNow) / wait)
  }

  /** The result of an attempt for a node that does not know of a cancelation. */
  #uncanceled({ inRun, allowed, webhook: { contract } }: ExpectedDelivery, arrival: Arrival) {
    const ends = (isGone(arrival) && contract.givesUp) || inRun === allowed
    return ends ? contract.usedUp : 'pending'
  }

  /** However clocks were set: no webhook is disabled that has not failed for this long. */
  #checkFailing(webhookId: number, failedMs: number, offAfter: number): void {
    this.#findings.check(
      failedMs >= offAfter - this.#clockErrorMs,
      () => `webhook ${webhookId} was disabled after failing for ${failedMs} ms`,
      { webhookId },
    )
  }

  #heard(webhookId: number, what: string): void {
    const expected = this.#news.get(webhookId)
    this.#findings.check(
      expected === what,
      () => `webhook ${webhookId}: ${what}, where ${expected ?? 'nothing'} was to be said`,
      { webhookId },
    )
    this.#news.delete(webhookId)
    this.#findings.count(what)
  }

  #heardAll(): void {
    for (const [webhookId, what] of this.#news)
      this.#findings.check(false, () => `webhook ${webhookId} was not ${what}, as it had to be`, {
        webhookId,
      })
    this.#news.clear()
  }
}

function isAsSeen(
  { durationMs, statusCode }: EntryOf<'attempted'>['result']['attempt'],
  arrival: Arrival,
): boolean {
  const { status } = arrival.answer
  const seen = arrival.answered && typeof status === 'number' ? status : null
  return durationMs === Math.round(arrival.tookMs) && statusCode === seen
}
