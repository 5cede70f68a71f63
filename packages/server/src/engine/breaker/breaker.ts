import { type Cause, causeOf, concernsAll, type Fault, tellsOfWayOut } from '../../core/cause.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { durationInWords, MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { EgressAgent } from '../egress/index.ts'
import type { Logger } from '../log/logger.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { Warnings } from '../log/warnings.ts'
import type { ClockWatch } from '../maintenance/clockWatch.ts'
import { HeldProbes } from './heldProbes.ts'
import { INQUIRY_MS, inquire, type ToAsk } from './inquiry.ts'
import type { Origin } from './knownOrigins.ts'
import type { LoopWatch } from './loopWatch.ts'
import type { OpenNotes } from './openNotes.ts'
import { RAMP_MS, slotsAfter } from './ramp.ts'
import { type Asked, isTimeout } from './verdict.ts'
import type { Witnesses } from './witnesses.ts'

/** Responses that are on their way may make an inquiry unnecessary. */
const GRACE_MS = 250
/** Connections do not all break in the same instant: a response this soon after a failure proves nothing about it. */
const BREAKS_WITHIN_MS = 100
/** Minimum time between two inquiries. */
const QUESTION_EVERY_MS = SECOND_MS
/** A result without a verdict after this time is attributed to its own cause. */
const WAITS_AT_MOST_MS = 5 * SECOND_MS
/** For this long after the network turned out to be slow, timeouts do not stop sending, as long as some receivers answer. */
const SLOW_FOR_MS = 10 * MINUTE_MS
const SLOW_AT_MOST_MS = 10 * SECOND_MS
const RAMP_STEP_MS = SECOND_MS / 2

/** An attempt that failed before there was a response. */
export interface Failure {
  readonly origin: Origin
  readonly fault: Fault
  /** Monotonic ms. */
  readonly startedAt: number
}

/** @param wayIsOpen whether the network was seen to work since */
export type OnJudged = (cause: Cause, wayIsOpen: boolean) => void

interface Suspect extends Failure {
  readonly cause: Cause
  /** Monotonic ms. */
  readonly failedAt: number
  readonly onJudged: OnJudged
}

const TIMEOUTS: readonly Fault[] = ['connect_timeout', 'tls_timeout', 'timeout', 'no_free_connection']

/** Faults of an existing connection are no evidence about these. */
const NEEDS_NO_CONNECTION: readonly Fault[] = ['reset', 'timeout', 'protocol', 'no_free_connection']

export interface BreakerParams {
  readonly clock: Clock
  readonly probe: EgressAgent['probe']
  readonly witnesses: Pick<Witnesses, 'answered' | 'failed' | 'mayTell' | 'others' | 'some'>
  readonly clockWatch: Pick<ClockWatch, 'aheadMs' | 'failingFrom'>
  readonly loopWatch: Pick<LoopWatch, 'wasLateSince'>
  readonly notes: Pick<OpenNotes, 'note' | 'allHeld'>
  /** Attempts in flight that are allowed in total. */
  readonly slots: number
  readonly log: Logger
  readonly warnings: Warnings
  readonly observer: Pick<EngineObserver, 'egressChanged'>
  /** Sending stops; deliveries in memory go back to the store. */
  readonly onHeld: () => void
  /**
   * Attempts in flight are to be aborted.
   * @param connectionsMayStand whether existing connections may continue
   */
  readonly onAbort: (connectionsMayStand: boolean) => void
  /** Sending resumes. */
  readonly onOpen: () => void
  /** The new limit of attempts in flight. */
  readonly onSlots: (slots: number) => void
}

/**
 * Distinguishes failures of receivers from those of our own network. A failure before any response waits for evidence that the
 * network works: a response over a new connection, or a connect to receivers that answered recently. If none of them can be
 * reached, sending is held and the failures count for nothing.
 */
export class Breaker {
  readonly #params: BreakerParams
  readonly #probes: HeldProbes
  #suspects: Suspect[] = []
  #timer: Timer | null = null
  /** Ends the wait of the oldest suspect. */
  #deadline: Timer | null = null
  #asking = false
  #askedAt = Number.NEGATIVE_INFINITY
  /** Whether an attempt waits and no receiver has answered since it began. */
  #someHang = false
  /** Start of the latest attempt or probe over a new connection that was answered; monotonic ms. */
  #reachedAt = Number.NEGATIVE_INFINITY
  /** When any attempt was last answered; monotonic ms. */
  #answeredAt = Number.NEGATIVE_INFINITY
  /** Until when the network counts as slow; monotonic ms. */
  #slowUntil = Number.NEGATIVE_INFINITY
  /** Since when sending is held, Unix ms; `null`: it is not. */
  #heldSince: number | null = null
  /** Monotonic ms. */
  #heldAt = 0
  /** Monotonic ms at which the network was last found working again. */
  #openAgainAt = Number.NEGATIVE_INFINITY
  #stopped = false

  constructor(params: BreakerParams) {
    this.#params = params
    this.#probes = new HeldProbes({ ...params, onOpen: (tookMs) => this.#reopen(tookMs) })
  }

  /** Since when this node holds sending, Unix ms; `null`: it does not. */
  get heldSince(): number | null {
    return this.#heldSince
  }

  /** Since when no node sends, Unix ms; `null`: some node does. */
  get allHeldSince(): number | null {
    return this.#params.notes.allHeld ? this.#heldSince : null
  }

  /** Checks the network at the start, when it may be down. Resolves within 5 s. */
  async start(): Promise<void> {
    this.#someHang = true
    await this.#ask()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#deadline?.cancel()
    this.#probes.stop()
    this.#judgeAll('sender', false)
  }

  /**
   * A receiver has answered, with any status. That proves nothing about failures after the attempt began: the response may have
   * been on its way already.
   * @param startedAt when the attempt began, monotonic ms
   * @param newConnection whether a connection was made for it
   */
  answered(origin: Origin, startedAt: number, newConnection: boolean): void {
    this.#answeredAt = this.#params.clock.monotonic()
    this.#params.witnesses.answered(origin, this.#answeredAt)
    if (newConnection) this.#reachedAt = Math.max(this.#reachedAt, startedAt)
    if (this.#suspects.length === 0) return
    this.#clear(
      ({ fault, failedAt }) =>
        failedAt + BREAKS_WITHIN_MS < startedAt && (newConnection || NEEDS_NO_CONNECTION.includes(fault)),
      true,
    )
  }

  /** An attempt that began at `startedAt` (monotonic ms) still has no answer: the network may be down. Called every second. */
  hangs(startedAt: number): void {
    if (Math.max(this.#answeredAt, this.#reachedAt) > startedAt) return
    if (this.#heldSince !== null || !this.#canTell('path')) return
    this.#someHang = true
    this.#askSoon()
  }

  /** Judges a failure, immediately or within 5 s. */
  judge(failure: Failure, onJudged: OnJudged): void {
    const { clock, clockWatch, loopWatch } = this.#params
    const { fault, origin, startedAt } = failure
    const cause = causeOf(fault, {
      loopWasLate: loopWatch.wasLateSince(startedAt),
      clockLeapt: clockWatch.aheadMs > 0 || clockWatch.failingFrom !== null,
    })
    if (!tellsOfWayOut(fault)) {
      onJudged(cause, false)
      return
    }
    this.#params.witnesses.failed(origin.origin)
    const duringOutage = this.#heldSince !== null || startedAt < this.#openAgainAt
    if (duringOutage || this.#stopped) {
      onJudged('sender', false)
      return
    }
    const failedAt = clock.monotonic()
    if (!this.#canTell(cause)) {
      onJudged(cause, false)
      return
    }
    if (this.#wasOpenInVain(failure, failedAt)) {
      onJudged(cause, true)
      return
    }
    this.#suspects.push({ ...failure, cause, failedAt, onJudged })
    this.#deadline ??= clock.after(WAITS_AT_MOST_MS, () => this.#endWaits())
    this.#askSoon()
  }

  /** A failure that has waited for 5 s is attributed to its own cause. */
  #endWaits(): void {
    const { clock } = this.#params
    const now = clock.monotonic()
    this.#deadline = null
    this.#clear(({ failedAt }) => now - failedAt >= WAITS_AT_MOST_MS, false)
    const [oldest] = this.#suspects
    if (oldest === undefined) return
    this.#deadline = clock.after(oldest.failedAt + WAITS_AT_MOST_MS - now, () => this.#endWaits())
  }

  /** Whether a receiver had half the time of an attempt after others were reached, and did not answer. */
  #wasOpenInVain({ fault, startedAt }: Failure, failedAt: number): boolean {
    return TIMEOUTS.includes(fault) && this.#reachedAt - startedAt >= (failedAt - startedAt) / 2
  }

  /** Whether an inquiry could show that the network is down. */
  #canTell(cause: Cause): boolean {
    return cause === 'sender' || this.#params.witnesses.mayTell
  }

  #askSoon(): void {
    if (this.#asking || this.#timer !== null || this.#stopped) return
    if (this.#suspects.length === 0 && !this.#someHang) return
    const { clock } = this.#params
    const restMs = this.#askedAt + QUESTION_EVERY_MS - clock.monotonic()
    this.#timer = clock.after(Math.max(GRACE_MS, restMs), () => {
      this.#timer = null
      void this.#ask()
    })
  }

  async #ask(): Promise<void> {
    if (this.#suspects.length === 0 && !this.#someHang) return
    const { clock, probe, witnesses } = this.#params
    this.#someHang = false
    this.#asking = true
    const askedAt = clock.monotonic()
    // If no receiver is known to answer, ask the one that just failed: it may show a fault of our own.
    const suspect = this.#suspects[0]?.origin
    const asked = await witnesses.some(suspect)
    const { wayOut, answers } = await inquire(probe, clock, asked)
    this.#asking = false
    this.#askedAt = askedAt
    if (this.#stopped || this.#heldSince !== null) return
    if (wayOut === 'open') this.#foundOpen(askedAt, answers)
    if (wayOut === 'closed' && this.#reachedAt < askedAt && !this.#isSlow(answers)) this.#hold(asked, answers)
    else this.#clear(({ failedAt }) => failedAt <= askedAt, wayOut === 'open')
    this.#askSoon()
  }

  /** @param askedAt monotonic ms */
  #foundOpen(askedAt: number, answers: readonly Asked[]): void {
    this.#reachedAt = Math.max(this.#reachedAt, askedAt)
    // Origins that fail while others can be reached are asked last from now on.
    for (const { name, fault } of answers) if (fault !== null) this.#params.witnesses.failed(name)
  }

  /** Whether all probes timed out over a network that is known to be slow, while attempts are still answered. */
  #isSlow(answers: readonly Asked[]): boolean {
    const now = this.#params.clock.monotonic()
    const answeredLately = now - Math.max(this.#answeredAt, this.#reachedAt) < SLOW_AT_MOST_MS
    const isSlow = now < this.#slowUntil && answeredLately && answers.every(({ fault }) => isTimeout(fault))
    if (isSlow) this.#slowUntil = now + SLOW_FOR_MS
    return isSlow
  }

  /** The network was not found down after these failures: each is attributed to its own cause. */
  #clear(isCleared: (suspect: Suspect) => boolean, wayIsOpen: boolean): void {
    const cleared = this.#suspects.filter(isCleared)
    if (cleared.length === 0) return
    this.#suspects = this.#suspects.filter((suspect) => !cleared.includes(suspect))
    for (const { cause, onJudged } of cleared) onJudged(cause, wayIsOpen)
  }

  #judgeAll(cause: Cause, wayIsOpen: boolean): void {
    for (const { onJudged } of this.#suspects.splice(0)) onJudged(cause, wayIsOpen)
  }

  /**
   * @param asked the receivers that were asked; none could be reached
   * @param answers their results
   */
  #hold(asked: readonly ToAsk[], answers: readonly Asked[]): void {
    const { clock, log, warnings, observer, onHeld, onAbort } = this.#params
    this.#heldAt = clock.monotonic()
    const first = Math.min(this.#heldAt, ...this.#suspects.map(({ failedAt }) => failedAt))
    const since = clock.now() - Math.round(this.#heldAt - first)
    this.#heldSince = since
    const seen = answers.flatMap(({ fault }) => fault ?? [])
    const ownFault = seen.every(concernsAll)
    const faults = [...new Set([...this.#suspects.map(({ fault }) => fault), ...seen])]
    const text = `Sending is on hold: this node cannot reach any receiver, including receivers that answered recently (${faults.join(', ')}). Deliveries wait, and no failure counts against a webhook. Check this machine's network, forward proxy, name servers and limit of open files.`
    log.error({ since: new Date(since).toISOString(), faults }, text)
    warnings.give({ code: 'sending_held', text, since })
    observer.egressChanged(false)
    onHeld()
    // Only now, since deliveries that are deferred while sending is held block no lane.
    this.#judgeAll('sender', false)
    onAbort(ownFault)
    this.#probes.start(asked, ownFault)
  }

  /**
   * @param probeTookMs duration of the probe that was answered; `null`: none was
   * @returns false when the store could not note it: the outage would count as failing
   */
  async #reopen(probeTookMs: number | null): Promise<boolean> {
    const { clock, notes, log, warnings, observer, onOpen } = this.#params
    const waited = await notes.note()
    if (waited === null || this.#stopped) return false
    const lasted = clock.now() - this.#heldSince!
    this.#heldSince = null
    this.#openAgainAt = clock.monotonic()
    if (probeTookMs !== null) this.#answeredAt = this.#openAgainAt
    if ((probeTookMs ?? 0) > INQUIRY_MS) this.#slowUntil = this.#openAgainAt + SLOW_FOR_MS
    log.info(
      { held_ms: lasted, deliveries: waited },
      `Sending resumed after ${durationInWords(lasted)}. It reaches its full rate within ${durationInWords(RAMP_MS)}.`,
    )
    warnings.withdraw('sending_held')
    observer.egressChanged(true)
    this.#ramp()
    onOpen()
    return true
  }

  #ramp(): void {
    const { clock, slots, onSlots } = this.#params
    if (this.#heldSince !== null || this.#stopped) return
    const allowed = slotsAfter(clock.monotonic() - this.#openAgainAt, slots)
    onSlots(allowed)
    if (allowed < slots) clock.after(RAMP_STEP_MS, () => this.#ramp())
  }
}
