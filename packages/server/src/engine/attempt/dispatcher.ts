import { type Cause, causeOf, type Fault, maybeOneReceiver } from '../../core/cause.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { type AttemptOutcome, nextTrigger } from '../../core/delivery.ts'
import type { Dialect } from '../../core/dialect.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import { type HealthSignal, switchesOffAtOnce } from '../../core/health.ts'
import { judge } from '../../core/policy.ts'
import type { Attempt, LeasedDelivery } from '../../storage/rows.ts'
import type { Breaker } from '../breaker/breaker.ts'
import type { Logger } from '../log/logger.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { Claimer } from '../schedule/claimer.ts'
import type { Lane, Target } from '../schedule/lane.ts'
import type { Lanes } from '../schedule/lanes.ts'
import type { Lease } from '../schedule/lease.ts'
import { type Deadline, DeadlineQueue } from './deadlines.ts'
import type { Recorder } from './recorder.ts'
import type { Sender, Sending } from './sender.ts'
import { signedHeaders } from './signedHeaders.ts'
import type { TargetLoader } from './targetLoader.ts'

/** An attempt that takes longer than this makes its webhook a slow one. */
const SLOW_AFTER_MS = SECOND_MS

/** With this many results unwritten, sending waits for the store: a crash repeats each attempt whose result is not written. */
const MAX_UNRECORDED = 10_000

/**
 * Attempts started in one turn of the event loop. More would keep everything else waiting, and gain nothing: receivers answer
 * no sooner, and with 500 under way each attempt costs a fifth more.
 */
const STARTS_PER_TURN = 8
/** After a long turn, this many for each of its milliseconds. Otherwise long turns would slow down sending. */
const STARTS_PER_MS = 1
const MAX_STARTS_PER_TURN = 64

/** How long a lane waits after a fault of ours, and twice as long after each further one, up to a limit. */
const PUT_OFF_MS = SECOND_MS
const PUT_OFF_AT_MOST_MS = 30 * SECOND_MS
/** How long requests that were sent before may still be answered while nobody can be reached. */
const GIVE_UP_AFTER_MS = 3 * SECOND_MS
/** More such faults in a row, over a longer time, while others are reached: something blocks this receiver alone. */
const BLOCKED = { times: 3, forMs: MINUTE_MS }
/** The same for faults that seldom concern one receiver, such as too few sockets. */
const BLOCKED_STRANGELY = { times: 20, forMs: 10 * MINUTE_MS }
/** Neither circumstance makes a difference once there is an answer. */
const ANSWERED = { loopWasLate: false, clockLeapt: false }

export interface DispatcherParams {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  readonly lanes: Lanes
  readonly targetLoader: Pick<TargetLoader, 'load'>
  readonly claimer: Pick<Claimer, 'roomFreed' | 'giveBack' | 'wake'>
  readonly recorder: Pick<Recorder, 'add' | 'backlog' | 'numberOf'>
  readonly breaker: Pick<Breaker, 'answered' | 'hangs' | 'judge'>
  readonly observer: EngineObserver
  readonly senderOf: (dialect: Dialect) => Pick<Sender, 'send'>
  readonly formatIds: {
    readonly event: (dialect: Dialect, delivery: LeasedDelivery) => string
    readonly delivery: (dialect: Dialect, delivery: LeasedDelivery) => string
  }
  readonly lease: Pick<Lease, 'valid'>
}

/** An attempt that has ended. */
interface Made {
  readonly lane: Lane
  readonly delivery: LeasedDelivery
  readonly target: Target
  readonly outcome: AttemptOutcome
  /** Unix ms, and a duration in ms. */
  readonly times: { readonly startedAt: number; readonly endedAt: number; readonly durationMs: number }
  /** Whether its lane was a slow one before it. */
  readonly wasSlow: boolean
}

/** Makes the attempts whose turn it is: sign, send, judge, hand the result to the recorder. */
export class Dispatcher {
  readonly #params: DispatcherParams
  readonly #slowMarks: DeadlineQueue
  /** Each with what ends it as a fault of ours. */
  readonly #underWay = new Map<Sending, () => void>()
  #later: Timer | null = null
  #onIdle: (() => void) | null = null
  #stopping = false
  #pumping = false
  #pumpScheduled = false
  #startsLeft = STARTS_PER_TURN
  /** What `startsLeft` was at the beginning of this turn. */
  #starts = STARTS_PER_TURN

  constructor(params: DispatcherParams) {
    this.#params = params
    this.#slowMarks = new DeadlineQueue(params.clock, SLOW_AFTER_MS)
    params.lanes.onReady(() => this.pump())
  }

  /** Starts as many attempts as may go in this turn of the event loop; those left over go in the next. */
  pump(): void {
    const { lanes, recorder, lease } = this.#params
    // An attempt that fails at once comes back here from within the loop.
    if (this.#pumping || this.#stopping) return
    this.#pumping = true
    while (this.#startsLeft > 0 && recorder.backlog < MAX_UNRECORDED && lease.valid) {
      const lane = lanes.next()
      if (lane === null) break
      this.#startsLeft--
      this.#serve(lane)
    }
    this.#pumping = false
    if (this.#startsLeft < this.#starts) this.#pumpSoon()
    this.#pumpLater(lanes.nextInMs())
  }

  /** When the catch-up limiter lets the next attempt go, nothing else may happen that would start it. */
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
      // Nothing was started: the next start may be much later, and this turn's length means nothing for it.
      if (!this.#pumpScheduled) this.#startsLeft = this.#starts = STARTS_PER_TURN
    })
  }

  /**
   * Nobody can be reached: attempts without a connection are given up at once, since others may make them.
   * @param connectionsMayStand whether requests that were sent may still be answered; otherwise they are given up soon
   */
  giveUp(connectionsMayStand: boolean): void {
    for (const [sending, putOff] of this.#underWay) if (!sending.connected) putOff()
    if (connectionsMayStand) return
    const sentBefore = [...this.#underWay]
    this.#params.clock.after(GIVE_UP_AFTER_MS, () => {
      if (!this.#params.lanes.held) return
      for (const [sending, putOff] of sentBefore) if (this.#underWay.has(sending)) putOff()
    })
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
    for (const sending of this.#underWay.keys()) sending.abandon()
    this.#underWay.clear()
  }

  /** Sends the first delivery of a lane, has its target read first, or releases what may not be sent. */
  #serve(lane: Lane): void {
    const { target, first } = lane
    if (target === null || target.version < first.webhookVersion) this.#params.targetLoader.load(lane)
    // The store ends deliveries of disabled webhooks, and keeps those of paused ones.
    else if (target.status !== 'on') this.#params.claimer.giveBack(lane, this.#params.lanes.drop(lane))
    else this.#attempt(lane, target)
  }

  #attempt(lane: Lane, target: Target): void {
    const { clock, lanes, claimer, breaker, senderOf } = this.#params
    const { dialect, destination } = target
    const startedAt = clock.now()
    const monotonicStart = clock.monotonic()
    const wasSlow = lane.speed === 'slow'
    const headers = this.#sign(lane.first, target, startedAt)
    if (headers === null) {
      this.#block(lane, 'unsendable')
      return
    }
    const delivery = lanes.take(lane)
    claimer.roomFreed(lane)
    const onSlow = (): void => {
      if (this.#stopping) return
      lanes.markSlow(lane)
      breaker.hangs(monotonicStart)
      // A lane that was unknown may use more slots now.
      this.#pumpSoon()
      slowMark = this.#slowMarks.set(onSlow)
    }
    let slowMark: Deadline = this.#slowMarks.set(onSlow)
    const request = { destination, headers, body: delivery.body }
    let ended = false
    let sending: Sending | null = null
    sending = senderOf(dialect).send(request, (outcome, durationMs) => {
      slowMark.cancel()
      const times = { startedAt, endedAt: clock.now(), durationMs }
      const made = { lane, delivery, target, outcome, times, wasSlow }
      const end = (cause: Cause | null, wayIsOpen = true): void => {
        ended = true
        // Absent when the attempt failed before `send` returned.
        if (sending !== null) this.#underWay.delete(sending)
        this.#finish(made, cause, wayIsOpen)
        if (this.#stopping && this.#underWay.size === 0) this.#onIdle?.()
        this.#pumpSoon()
      }
      const { error, statusCode, newConnection } = outcome
      if (statusCode === null) {
        breaker.judge({ origin: destination, fault: error!.fault, startedAt: monotonicStart }, end)
        return
      }
      breaker.answered(destination, monotonicStart, newConnection)
      lane.answered()
      end(error === null ? null : causeOf(error.fault, ANSWERED))
    })
    if (ended) return
    this.#underWay.set(sending, () => {
      sending.abandon()
      slowMark.cancel()
      this.#underWay.delete(sending)
      this.#putOff(lane, delivery, wasSlow)
    })
  }

  /** @param wayIsOpen whether others were reached since it failed */
  #finish(made: Made, cause: Cause | null, wayIsOpen: boolean): void {
    const { lane, delivery, target, outcome, times, wasSlow } = made
    if (cause === 'sender') {
      if (wayIsOpen) lane.noteBlocked(this.#params.clock.monotonic())
      if (!(wayIsOpen && this.#isBlocked(lane, outcome.error!.fault))) {
        this.#putOff(lane, delivery, wasSlow)
        return
      }
    }
    this.#params.lanes.finished(lane, cause === null && times.durationMs < SLOW_AFTER_MS)
    const signal = this.#record(made, cause === 'sender' ? 'path' : cause)
    // The store disables the webhook when it writes the next group of results. Nothing may be sent until then.
    if (switchesOffAtOnce(signal, target.dialect.policy.health)) this.#block(lane, 'disabling')
  }

  /** Whether something between blocks this receiver alone, so that it would wait for ever. */
  #isBlocked(lane: Lane, fault: Fault): boolean {
    const { times, forMs } = maybeOneReceiver(fault) ? BLOCKED : BLOCKED_STRANGELY
    return lane.timesBlocked > times && this.#params.clock.monotonic() - lane.blockedSince >= forMs
  }

  /** An attempt failed by a fault of ours: the delivery stays as it was before, and its lane waits for a while. */
  #putOff(lane: Lane, delivery: LeasedDelivery, wasSlow: boolean): void {
    const { lanes, claimer, observer } = this.#params
    observer.putOff()
    lanes.endedUntold(lane, wasSlow)
    const dropped = lane.blocks.includes('sender') || lanes.held ? [] : this.#waitForSender(lane)
    claimer.giveBack(lane, [delivery, ...dropped])
  }

  /** @returns the deliveries that must go back to the store */
  #waitForSender(lane: Lane): LeasedDelivery[] {
    const { clock, lanes, claimer } = this.#params
    const waitMs = Math.min(PUT_OFF_MS * 2 ** lane.sendersFaults, PUT_OFF_AT_MOST_MS)
    lane.sendersFaults++
    clock.after(waitMs, () => {
      lanes.unblock(lane, 'sender')
      claimer.wake()
    })
    return lanes.block(lane, 'sender')
  }

  #block(lane: Lane, reason: 'unsendable' | 'disabling'): void {
    this.#params.claimer.giveBack(lane, this.#params.lanes.block(lane, reason))
  }

  /** @returns `null` when it cannot be signed. An error thrown from here would end all sending. */
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

  #record({ delivery, target, outcome, times }: Made, cause: Cause | null): HealthSignal {
    const { dialect, version } = target
    const { startedAt, endedAt, durationMs } = times
    const { random, recorder, observer } = this.#params
    const verdict = judge({
      policy: dialect.policy,
      progress: delivery,
      outcome,
      finishedAt: endedAt,
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
      cause,
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
