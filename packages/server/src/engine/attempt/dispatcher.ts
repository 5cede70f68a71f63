import type { Clock, Timer } from '../../core/clock.ts'
import { type AttemptOutcome, nextTrigger } from '../../core/delivery.ts'
import type { Dialect } from '../../core/dialect.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { type HealthSignal, switchesOffAtOnce } from '../../core/health.ts'
import { judge } from '../../core/policy.ts'
import type { Attempt, LeasedDelivery, WebhookRef } from '../../storage/rows.ts'
import type { Logger } from '../log/logger.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { SendQueue } from '../schedule/sendQueue.ts'
import { type Deadline, DeadlineQueue } from './deadlines.ts'
import type { Recorder } from './recorder.ts'
import type { Sender, Sending } from './sender.ts'
import { signedHeaders } from './signedHeaders.ts'
import type { Target, Targets } from './targets.ts'

/** An attempt that takes longer than this makes its webhook a slow one. */
const SLOW_AFTER_MS = SECOND_MS

/** With this many results unwritten, sending waits for the store: what is in memory only would be sent twice after a crash. */
const MAX_UNRECORDED = 10_000

/**
 * Attempts started in one turn of the event loop. More would keep everything else waiting, and it is no use to have
 * more under way than receivers answer meanwhile: with 500 of them each costs a fifth more.
 */
const STARTS_PER_TURN = 8
/** After a turn that took long, so many for each of its milliseconds: long turns must not keep sending waiting. */
const STARTS_PER_MS = 1
const MAX_STARTS_PER_TURN = 64

export interface DispatcherParams {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  readonly queue: SendQueue
  readonly targets: Pick<Targets, 'get'>
  readonly recorder: Pick<Recorder, 'add' | 'backlog' | 'numberOf'>
  readonly observer: EngineObserver
  readonly senderOf: (dialect: Dialect) => Pick<Sender, 'send'>
  readonly formatIds: {
    readonly event: (dialect: Dialect, delivery: LeasedDelivery) => string
    readonly delivery: (dialect: Dialect, delivery: LeasedDelivery) => string
  }
  /** Whether the lease on what is in memory holds. */
  readonly maySend: () => boolean
  /** A delivery left the queue. */
  readonly onTaken: (webhook: WebhookRef) => void
  /** Takes deliveries that are not to be sent now: their webhook is off, paused, gone or cannot be signed for. */
  readonly giveBack: (webhook: WebhookRef, deliveries: readonly LeasedDelivery[], unsendable: boolean) => void
}

/** Sends what waits in the queue: sign, send, judge, hand the result to the recorder. */
export class Dispatcher {
  readonly #params: DispatcherParams
  readonly #slowMarks: DeadlineQueue
  readonly #underWay = new Set<Sending>()
  /** Deliveries whose webhook is being loaded, by webhook. */
  readonly #parked = new Map<number, LeasedDelivery[]>()
  /** Webhooks whose 410 is not recorded yet. */
  readonly #held = new Set<number>()
  #later: Timer | null = null
  #onIdle: (() => void) | null = null
  #stopping = false
  #pumping = false
  #pumpScheduled = false
  #startsLeft = STARTS_PER_TURN
  /** How many there were at the beginning of this turn. */
  #starts = STARTS_PER_TURN

  constructor(params: DispatcherParams) {
    this.#params = params
    this.#slowMarks = new DeadlineQueue(params.clock, SLOW_AFTER_MS)
  }

  /** Starts as many attempts as may go in this turn of the event loop; those left over go in the next. */
  pump(): void {
    const { queue, recorder, maySend } = this.#params
    // An attempt that fails at once comes back here from within the loop.
    if (this.#pumping || this.#stopping) return
    this.#pumping = true
    while (this.#startsLeft > 0 && recorder.backlog < MAX_UNRECORDED && maySend()) {
      const delivery = queue.next()
      if (delivery === null) break
      this.#startsLeft--
      this.#params.onTaken(delivery)
      this.#prepare(delivery)
    }
    this.#pumping = false
    if (this.#startsLeft < this.#starts) this.#pumpSoon()
    this.#pumpLater(queue.nextInMs())
  }

  /** What the queue holds back for a while goes then, whatever else happens. */
  #pumpLater(inMs: number | null): void {
    if (inMs === null || this.#later !== null) return
    this.#later = this.#params.clock.after(inMs, () => {
      this.#later = null
      this.pump()
    })
  }

  #pumpSoon(): void {
    if (this.#pumpScheduled) return
    this.#pumpScheduled = true
    const turnBeganAt = this.#params.clock.monotonic()
    setImmediate(() => {
      this.#pumpScheduled = false
      const turnMs = this.#params.clock.monotonic() - turnBeganAt
      this.#starts = Math.min(
        Math.max(STARTS_PER_TURN, Math.floor(turnMs * STARTS_PER_MS)),
        MAX_STARTS_PER_TURN,
      )
      this.#startsLeft = this.#starts
      this.pump()
      // Nothing was started, so that the next turn may be much later.
      if (!this.#pumpScheduled) this.#startsLeft = this.#starts = STARTS_PER_TURN
    })
  }

  /** Targets that were being loaded are there. */
  targetsLoaded(webhookIds: readonly number[]): void {
    // What is put back goes to the front.
    for (const webhookId of webhookIds.toReversed()) this.#unpark(webhookId)
    this.pump()
  }

  /** The 410 of this webhook is recorded: from here on the store says what becomes of it. */
  letGo(webhookId: number): void {
    this.#held.delete(webhookId)
  }

  /** The lease on what is in memory is lost: nothing more of it is sent. */
  dropAll(): void {
    for (const webhookId of this.#parked.keys()) this.#unpark(webhookId)
    this.#params.queue.dropAll()
  }

  /** Starts no more attempts; resolves once those under way have ended, or after `patienceMs` abandons them. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping = true
    this.#later?.cancel()
    if (this.#underWay.size === 0) return
    await new Promise<void>((resolve) => {
      const patience = this.#params.clock.after(patienceMs, resolve)
      this.#onIdle = () => {
        patience.cancel()
        resolve()
      }
    })
    for (const sending of this.#underWay) sending.abandon()
    this.#underWay.clear()
  }

  /** Into the queue and not straight out: the lease may have run out while the target was being loaded. */
  #unpark(webhookId: number): void {
    const parked = this.#parked.get(webhookId) ?? []
    this.#parked.delete(webhookId)
    for (const delivery of parked.reverse()) this.#params.queue.putBack(delivery)
  }

  #prepare(delivery: LeasedDelivery): void {
    // Publishes and claims that were under way at the 410 bring more.
    if (this.#held.has(delivery.webhookId)) {
      this.#giveBack(delivery, true)
      return
    }
    const target = this.#params.targets.get(delivery.webhookId, delivery.webhookVersion)
    if (target === undefined) {
      const parked = this.#parked.get(delivery.webhookId)
      if (parked === undefined) this.#parked.set(delivery.webhookId, [delivery])
      else parked.push(delivery)
    } else if (target === 'unsendable') {
      this.#giveBack(delivery, true)
    } else if (target === 'gone' || target.status !== 'on') {
      this.#giveBack(delivery, false)
    } else {
      this.#attempt(delivery, target)
    }
  }

  #giveBack(delivery: LeasedDelivery, unsendable: boolean): void {
    const { queue, giveBack } = this.#params
    // Put back first: it says nothing about the receiver that this one was not attempted.
    queue.putBack(delivery)
    giveBack(delivery, queue.drop(delivery.webhookId), unsendable)
  }

  /** The store switches the webhook off, but only with the next group of results; nothing may go out until then. */
  #hold(webhook: WebhookRef): void {
    const { queue, giveBack } = this.#params
    this.#held.add(webhook.webhookId)
    giveBack(webhook, queue.drop(webhook.webhookId), true)
  }

  #attempt(delivery: LeasedDelivery, target: Target): void {
    const { clock, queue, senderOf } = this.#params
    const { dialect } = target
    const startedAt = clock.now()
    const headers = this.#sign(delivery, target, startedAt)
    if (headers === null) {
      this.#giveBack(delivery, true)
      return
    }
    const slowMark: Deadline = this.#slowMarks.set(() => {
      queue.markSlow(delivery.webhookId)
      // One that had not been tried yet may have more places now.
      this.#pumpSoon()
    })
    const request = { destination: target.destination, headers, body: delivery.body }
    let ended = false
    let sending: Sending | null = null
    sending = senderOf(dialect).send(request, (outcome, durationMs) => {
      ended = true
      slowMark.cancel()
      // Absent when the attempt failed before `send` returned.
      if (sending !== null) this.#underWay.delete(sending)
      queue.finished(delivery.webhookId, outcome.error === null && durationMs < SLOW_AFTER_MS)
      const signal = this.#record(delivery, target, outcome, startedAt, durationMs)
      if (switchesOffAtOnce(signal, dialect.policy.health)) this.#hold(delivery)
      if (this.#stopping && this.#underWay.size === 0) this.#onIdle?.()
      this.#pumpSoon()
    })
    if (!ended) this.#underWay.add(sending)
  }

  /** @returns `null` when it cannot be signed for; thrown on from here, the error would end all sending. */
  #sign(delivery: LeasedDelivery, target: Target, startedAt: number): string[] | null {
    const { formatIds, log } = this.#params
    const { dialect } = target
    try {
      return signedHeaders({
        dialect,
        target,
        delivery,
        startedAt,
        eventId: () => formatIds.event(dialect, delivery),
        deliveryId: () => formatIds.delivery(dialect, delivery),
      })
    } catch (error) {
      const { id, webhookId } = delivery
      log.error({ err: error, delivery: id, webhook: webhookId }, 'a delivery cannot be signed for')
      return null
    }
  }

  #record(
    delivery: LeasedDelivery,
    { dialect, version }: Target,
    outcome: AttemptOutcome,
    startedAt: number,
    durationMs: number,
  ): HealthSignal {
    const { clock, random, recorder, observer } = this.#params
    const verdict = judge({
      policy: dialect.policy,
      progress: delivery,
      outcome,
      finishedAt: clock.now(),
      random: random(),
    })
    const attempt: Attempt = {
      number: delivery.attempts + 1,
      trigger: nextTrigger(delivery),
      webhookVersion: version,
      startedAt,
      durationMs,
      statusCode: outcome.statusCode,
      errorCode: outcome.error?.code ?? null,
      errorMessage: outcome.error?.message ?? null,
      contentType: outcome.contentType,
      responseBody: outcome.body,
    }
    const { signal, ...next } = verdict
    observer.attempted(dialect.name, attempt)
    recorder.add({
      deliveryId: delivery.id,
      createdAt: delivery.createdAt,
      lease: delivery.lease,
      webhookId: delivery.webhookId,
      attempt,
      next,
      signal,
      healthPolicy: recorder.numberOf(dialect.policy.health),
    })
    return signal
  }
}
