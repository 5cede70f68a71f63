import { type Cause, causeOf } from '../../core/cause.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { type AttemptOutcome, nextTrigger } from '../../core/delivery.ts'
import type { Dialect } from '../../core/dialect.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { disablesImmediately, type HealthSignal } from '../../core/health.ts'
import { judge } from '../../core/policy.ts'
import { sentUnder } from '../../core/sentUnder.ts'
import type { Attempt, LeasedDelivery } from '../../storage/rows.ts'
import type { Breaker } from '../breaker/breaker.ts'
import type { Logger } from '../log/logger.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { AttemptTrace, Tracing } from '../log/tracing.ts'
import type { DeliveryIds } from '../log/trail.ts'
import type { Claimer } from '../schedule/claimer.ts'
import type { Lane, Target } from '../schedule/lane.ts'
import type { Lanes } from '../schedule/lanes.ts'
import type { Lease } from '../schedule/lease.ts'
import { type Deadline, DeadlineQueue } from './deadlines.ts'
import { OurFaults } from './ourFaults.ts'
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

/** How long requests in flight may still be answered while no receiver can be reached. */
const ABORT_AFTER_MS = 3 * SECOND_MS
const TRACEPARENT = 'traceparent'
/** Circumstances do not matter once there is a response. */
const ANSWERED = { loopWasLate: false, clockLeapt: false }

export interface DispatcherParams {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  readonly lanes: Lanes
  readonly targetLoader: Pick<TargetLoader, 'load'>
  readonly claimer: Pick<Claimer, 'roomFreed' | 'release' | 'wake'>
  readonly recorder: Pick<Recorder, 'add' | 'backlog' | 'numberOf'>
  readonly breaker: Pick<Breaker, 'answered' | 'hangs' | 'judge'>
  readonly observer: EngineObserver
  /** `null`: nothing is traced. */
  readonly tracing: Pick<Tracing, 'attempt'> | null
  readonly senderOf: (dialect: Dialect) => Pick<Sender, 'send'>
  readonly formatIds: {
    readonly event: (dialect: Dialect, delivery: LeasedDelivery) => string
    readonly delivery: (dialect: Dialect, delivery: LeasedDelivery) => string
  }
  readonly lease: Pick<Lease, 'valid'>
}

/** An attempt that was begun. One object is all that it costs: there are tens of thousands in a second. */
interface Begun {
  readonly lane: Lane
  readonly delivery: LeasedDelivery
  readonly target: Target
  /** Unix ms. */
  readonly startedAt: number
  /** Monotonic ms. */
  readonly monotonicStart: number
  /** Whether its lane was a slow one before it. */
  readonly wasSlow: boolean
  /** `null`: it is not traced. */
  readonly trace: AttemptTrace | null
  /** Absent until `send` has returned. */
  sending: Sending | null
  slowMark: Deadline | null
  ended: boolean
}

/** The result. */
interface Ending {
  readonly outcome: AttemptOutcome
  /** Unix ms. */
  readonly endedAt: number
  readonly durationMs: number
}

/** Makes the attempts whose turn it is: signs, sends, judges, and passes the result to the recorder. */
export class Dispatcher {
  readonly #params: DispatcherParams
  readonly #slowMarks: DeadlineQueue
  readonly #ourFaults: OurFaults
  readonly #underWay = new Set<Begun>()
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
    this.#ourFaults = new OurFaults(params)
    params.lanes.onReady(() => this.pump())
  }

  /** Starts as many attempts as this turn of the event loop allows; the others start in the next one. */
  pump(): void {
    const { lanes, recorder, lease } = this.#params
    // An attempt that fails immediately comes back here from within the loop.
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

  /** When the catch-up limiter allows the next attempt, no other event may start it. */
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
      // Nothing was started: the next start may be much later, and the length of this turn says nothing about it.
      if (!this.#pumpScheduled) this.#startsLeft = this.#starts = STARTS_PER_TURN
    })
  }

  /**
   * No receiver can be reached: attempts without a connection are canceled at once, since other nodes may make them.
   * @param connectionsMayStand whether requests in flight may still be answered; otherwise they are canceled soon
   */
  abortInFlight(connectionsMayStand: boolean): void {
    for (const begun of this.#underWay) if (!begun.sending!.connected) this.#abort(begun)
    if (connectionsMayStand) return
    const sentBefore = [...this.#underWay]
    this.#params.clock.after(ABORT_AFTER_MS, () => {
      if (!this.#params.lanes.held) return
      for (const begun of sentBefore) if (this.#underWay.has(begun)) this.#abort(begun)
    })
  }

  #abort(begun: Begun): void {
    begun.sending!.abandon()
    begun.slowMark!.cancel()
    this.#underWay.delete(begun)
    begun.trace?.released(null)
    this.#ourFaults.defer(begun)
  }

  /** Starts no more attempts; resolves once those in flight have ended, or after `patienceMs` aborts them. */
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
    for (const { sending, trace } of this.#underWay) {
      sending!.abandon()
      trace?.released(null)
    }
    this.#underWay.clear()
  }

  /** Sends the first delivery of a lane, loads its target first, or releases deliveries that must not be sent. */
  #serve(lane: Lane): void {
    const { target, first } = lane
    if (target === null || target.version < first.webhookVersion) this.#params.targetLoader.load(lane)
    // The store ends deliveries of disabled webhooks, and keeps those of paused ones.
    else if (target.status !== 'on') this.#params.claimer.release(lane, this.#params.lanes.drop(lane))
    else this.#attempt(lane, target)
  }

  #attempt(lane: Lane, target: Target): void {
    const { clock, lanes, claimer, senderOf } = this.#params
    const { dialect, destination } = target
    const startedAt = clock.now()
    const headers = this.#sign(lane.first, target, startedAt)
    if (headers === null) {
      this.#block(lane, 'unsendable')
      return
    }
    const wasSlow = lane.speed === 'slow'
    const delivery = lanes.take(lane)
    claimer.roomFreed(lane)
    const monotonicStart = clock.monotonic()
    const trace = this.#trace(delivery, target)
    if (trace?.traceparent != null) addTraceparent(headers, trace.traceparent)
    const begun: Begun = {
      lane,
      delivery,
      target,
      startedAt,
      monotonicStart,
      wasSlow,
      trace,
      sending: null,
      slowMark: null,
      ended: false,
    }
    begun.slowMark = this.#slowMarks.set(() => this.#onSlow(begun))
    const request = { destination, headers, body: delivery.body }
    begun.sending = senderOf(dialect).send(request, (outcome, durationMs) =>
      this.#onSent(begun, outcome, durationMs),
    )
    // It may have failed before `send` returned.
    if (!begun.ended) this.#underWay.add(begun)
  }

  /** It has been in flight for a second, or for one more. */
  #onSlow(begun: Begun): void {
    if (this.#stopping) return
    this.#params.lanes.markSlow(begun.lane)
    this.#params.breaker.hangs(begun.monotonicStart)
    // A lane that was unknown may now use more slots.
    this.#pumpSoon()
    begun.slowMark = this.#slowMarks.set(() => this.#onSlow(begun))
  }

  #onSent(begun: Begun, outcome: AttemptOutcome, durationMs: number): void {
    const { clock, breaker } = this.#params
    const { lane, target, monotonicStart: startedAt } = begun
    const { error, statusCode, newConnection } = outcome
    const ending = { outcome, endedAt: clock.now(), durationMs }
    begun.slowMark!.cancel()
    if (statusCode === null) {
      const failure = { origin: target.destination, fault: error!.fault, startedAt }
      breaker.judge(failure, (cause, wayIsOpen) => this.#end(begun, ending, cause, wayIsOpen))
      return
    }
    breaker.answered(target.destination, startedAt, newConnection)
    lane.answered()
    this.#end(begun, ending, error === null ? null : causeOf(error.fault, ANSWERED), true)
  }

  /** @param wayIsOpen whether other receivers were reached since it failed */
  #end(begun: Begun, ending: Ending, cause: Cause | null, wayIsOpen: boolean): void {
    begun.ended = true
    this.#underWay.delete(begun)
    this.#settle(begun, ending, cause, wayIsOpen)
    if (this.#stopping && this.#underWay.size === 0) this.#onIdle?.()
    this.#pumpSoon()
  }

  #settle(begun: Begun, ending: Ending, cause: Cause | null, wayIsOpen: boolean): void {
    const { lane, target } = begun
    const { lanes } = this.#params
    if (cause === 'sender') {
      if (wayIsOpen) lane.noteBlocked(this.#params.clock.monotonic())
      if (!(wayIsOpen && this.#ourFaults.blocksOne(lane, ending.outcome.error!.fault))) {
        begun.trace?.released(ending.outcome.error!.code)
        this.#ourFaults.defer(begun)
        return
      }
    }
    if (lane.limiter !== null || ending.outcome.retryAfter !== null)
      lanes.rateLimits.answered(lane, ending, begun.monotonicStart, target.dialect.policy)
    lanes.finished(lane, cause === null && ending.durationMs < SLOW_AFTER_MS)
    const signal = this.#record(begun, ending, cause === 'sender' ? 'path' : cause)
    // The store disables the webhook when it writes the next group of results. Nothing may be sent until then.
    if (disablesImmediately(signal, target.dialect.policy.health)) this.#block(lane, 'disabling')
  }

  #block(lane: Lane, reason: 'unsendable' | 'disabling'): void {
    this.#params.claimer.release(lane, this.#params.lanes.block(lane, reason))
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
        attempt: delivery.attempts + 1,
        startedAt,
        eventId: () => formatIds.event(dialect, delivery),
        deliveryId: () => formatIds.delivery(dialect, delivery),
      })
    } catch (error) {
      const { id, webhookId } = delivery
      log.error({ err: error, delivery: id, webhook: webhookId }, 'a delivery cannot be signed')
      return null
    }
  }

  /** Deliveries of most events belong to no trace. */
  #trace(delivery: LeasedDelivery, { dialect, publicId }: Target): AttemptTrace | null {
    const { tracing } = this.#params
    if (delivery.traceparent === null || tracing === null) return null
    return tracing.attempt(delivery.traceparent, {
      dialect: dialect.name,
      workspaceId: delivery.workspaceId,
      webhookId: publicId,
      eventType: delivery.eventType,
      ids: () => this.#idsOf(dialect, delivery),
    })
  }

  #idsOf(dialect: Dialect, delivery: LeasedDelivery): DeliveryIds {
    const { formatIds } = this.#params
    return { eventId: formatIds.event(dialect, delivery), deliveryId: formatIds.delivery(dialect, delivery) }
  }

  #record({ delivery, target, startedAt, trace }: Begun, ending: Ending, cause: Cause | null): HealthSignal {
    const { dialect, version } = target
    const { outcome, endedAt, durationMs } = ending
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
      webhookVersion: sentUnder(version, dialect.version),
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
    trace?.ended(attempt)
    observer.attempted(dialect.name, attempt, () => this.#idsOf(dialect, delivery))
    recorder.add({
      deliveryId: delivery.id,
      createdAt: delivery.createdAt,
      lease: delivery.lease,
      webhookId: delivery.webhookId,
      attempt,
      next,
      signal,
      healthPolicy: recorder.numberOf(dialect.policy.health),
      replayId: delivery.replayId,
    })
    return signal
  }
}

/** A profile may write such a header itself. @param headers names and values in turn */
function addTraceparent(headers: string[], traceparent: string): void {
  const isWritten = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === TRACEPARENT)
  if (!isWritten) headers.push(TRACEPARENT, traceparent)
}
