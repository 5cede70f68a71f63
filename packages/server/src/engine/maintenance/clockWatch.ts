import type { Clock } from '../../core/clock.ts'
import { DAY_MS, durationInWords, MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { Warnings } from '../log/warnings.ts'
import { Loop } from '../loop.ts'

const LOOK_EVERY_MS = 2 * SECOND_MS
const NOTE_EVERY_MS = MINUTE_MS
/** If the store was in use at most this long ago, the clock counts as right. */
const MAX_GAP_MS = DAY_MS

export interface ClockLimits {
  /** How far the clock may drift from monotonic time between two checks before that counts as a jump. */
  readonly maxLeapMs: number
  /** How long the clock must have been steady before expired data is deleted. */
  readonly graceMs: number
}

export interface ClockWatchParams {
  readonly storage: Storage['maintenance']
  /** The time that all nodes share: the database's on PostgreSQL. */
  readonly clock: Clock
  /** This machine's own. */
  readonly machineClock: Pick<Clock, 'now'>
  readonly limits: ClockLimits
  readonly retentionMs: number
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly warnings: Warnings
  readonly observer: Pick<EngineObserver, 'clockLeapt'>
  /** Called when the clock has jumped. */
  readonly onLeap: () => void
  /** Called when the clock may be trusted again. */
  readonly onSteady: () => void
}

/**
 * Decides whether the clock was right for long enough to delete expired data. It compares wall time with monotonic time and, at
 * the start, with the last time when the store saw a right clock. After a jump, or a start long after that time, the clock must
 * first be steady for a grace time. A node cannot know whether the clock jumped to a wrong time or to the right one; the grace
 * time lets NTP and people correct it.
 */
export class ClockWatch {
  readonly #params: ClockWatchParams
  readonly #loop: Loop
  /** Wall time minus monotonic time at the last check. */
  #offset: number
  /** Monotonic ms at which the clock may be trusted; not known before the start. */
  #steadyAt = Number.POSITIVE_INFINITY
  #settled = false
  #leaptAt: number | null = null
  /** The latest time from which the clock was set back since it was last steady; Unix ms. */
  #backFrom: number | null = null
  /** How far the clock has jumped ahead in total since it was last steady. */
  #aheadMs = 0
  #notedAt = Number.NEGATIVE_INFINITY
  #noted = true
  #differs = false

  constructor(params: ClockWatchParams) {
    this.#params = params
    const { clock, failureLog } = params
    this.#offset = clock.now() - clock.monotonic()
    this.#loop = new Loop({
      name: 'clock check',
      clock,
      failureLog,
      intervalMs: LOOK_EVERY_MS,
      work: () => this.#round(),
    })
  }

  async start(): Promise<void> {
    const { storage, clock, limits } = this.#params
    const { steadyAt, leaptAt } = await storage.readClock({})
    const now = clock.now()
    this.#offset = now - clock.monotonic()
    this.#steadyAt = clock.monotonic()
    // A jump in the future was noted while the clock was ahead.
    if (leaptAt !== null) this.#leaptAt = Math.min(leaptAt, now)
    this.#checkGap(latestOf(steadyAt, this.#leaptAt), now)
    // A restart must not cut the grace time short.
    if (this.#leaptAt !== null)
      this.#steadyAt = Math.max(this.#steadyAt, clock.monotonic() + this.#leaptAt + limits.graceMs - now)
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Whether the clock is trusted to delete expired data now. */
  get steady(): boolean {
    this.#look()
    return this.#params.clock.monotonic() >= this.#steadyAt
  }

  /** Unix ms of the last jump or gap, or of the first start; `null`: none is known. */
  get steadySince(): number | null {
    this.#look()
    return this.#leaptAt
  }

  /**
   * Unix ms before which no webhook began to fail, while the clock is not trusted; `null`: at any time. Without it, a node that
   * has not noticed that the clock was set back would take the difference for days of failing.
   */
  get failingFrom(): number | null {
    return this.steady ? null : this.#backFrom
  }

  /** How far the clock has jumped ahead recently. A period that began before may have to last longer by that much. */
  get aheadMs(): number {
    return this.steady ? 0 : this.#aheadMs
  }

  /** How far the time that nodes share is ahead of this machine's clock, in ms. */
  get aheadOfMachineMs(): number {
    return this.#params.clock.now() - this.#params.machineClock.now()
  }

  /**
   * Starts a grace time if the store was not in use for long, or never was.
   * @param lastSeenAt the latest time in the store
   */
  #checkGap(lastSeenAt: number | null, now: number): void {
    const { clock, limits, retentionMs, log, warnings } = this.#params
    const gapMs = lastSeenAt === null ? 0 : now - lastSeenAt
    const isBack = gapMs < -limits.maxLeapMs
    if (lastSeenAt !== null && !isBack && gapMs <= Math.min(MAX_GAP_MS, retentionMs)) return
    this.#steadyAt = clock.monotonic() + limits.graceMs
    // Other nodes may not have noticed a jump yet, and while the service was stopped, no receiver was tried.
    this.#leaptAt = now
    this.#noted = false
    if (lastSeenAt === null) return
    if (isBack) this.#backFrom = lastSeenAt
    const [gap, grace] = [durationInWords(Math.abs(gapMs)), durationInWords(limits.graceMs)]
    const wrong = isBack
      ? 'The clock is wrong now, or it was wrong then'
      : 'If the service did not stop for that long, the clock is wrong'
    const text = `The clock is ${gap} ${isBack ? 'behind' : 'ahead of'} the last use of the store. ${wrong}: check NTP. Nothing is deleted for ${grace}.`
    log.warn(
      { last_in_use: new Date(lastSeenAt).toISOString(), gap_ms: gapMs, rests_ms: limits.graceMs },
      text,
    )
    warnings.give({ code: 'clock_gap', text, since: now })
  }

  async #round(): Promise<null> {
    this.#look()
    this.#compareWithMachine()
    const { storage, clock, warnings, onSteady } = this.#params
    const steady = clock.monotonic() >= this.#steadyAt
    if (steady && !this.#settled) {
      this.#aheadMs = 0
      this.#backFrom = null
      warnings.withdraw('clock_leapt')
      warnings.withdraw('clock_gap')
      onSteady()
    }
    this.#settled = steady
    if (this.#noted && (!steady || clock.monotonic() - this.#notedAt < NOTE_EVERY_MS)) return null
    const leaptAt = this.#leaptAt
    await storage.noteClock({ steadyAt: steady ? clock.now() : null, leaptAt })
    this.#noted = leaptAt === this.#leaptAt
    this.#notedAt = clock.monotonic()
    return null
  }

  #look(): void {
    const { clock, limits } = this.#params
    const monotonic = clock.monotonic()
    const now = clock.now()
    const byMs = Math.round(now - monotonic - this.#offset)
    // Slow adjustments and small steps are not jumps.
    this.#offset = now - monotonic
    if (Math.abs(byMs) <= limits.maxLeapMs) return
    this.#leaptAt = now
    this.#steadyAt = monotonic + limits.graceMs
    this.#settled = false
    this.#noted = false
    this.#aheadMs = Math.max(0, this.#aheadMs + byMs)
    if (byMs < 0) this.#backFrom = Math.max(this.#backFrom ?? 0, now - byMs)
    this.#tell(byMs, now)
  }

  #tell(byMs: number, now: number): void {
    const { limits, log, warnings, observer, onLeap } = this.#params
    const [by, grace] = [durationInWords(Math.abs(byMs)), durationInWords(limits.graceMs)]
    const text = `The clock jumped ${by} ${byMs > 0 ? 'ahead' : 'back'}: it was set, or this machine was suspended. Nothing is deleted until it has been steady for ${grace}, and no webhook is disabled for failures from before. Check the clock and NTP.`
    log.warn({ by_ms: byMs, rests_ms: limits.graceMs }, text)
    warnings.give({ code: 'clock_leapt', text, since: now })
    observer.clockLeapt(byMs)
    onLeap()
  }

  #compareWithMachine(): void {
    const { limits, log, warnings, clock } = this.#params
    const aheadMs = Math.round(this.aheadOfMachineMs)
    const differs = Math.abs(aheadMs) > limits.maxLeapMs
    if (differs === this.#differs) return
    this.#differs = differs
    if (!differs) {
      warnings.withdraw('clock_differs')
      log.info({ ahead_ms: aheadMs }, "this machine's clock and the database's clock agree again")
      return
    }
    const text = `The database's clock is ${durationInWords(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's. All nodes use the database's clock. Check both clocks and NTP.`
    log.warn({ ahead_ms: aheadMs }, text)
    warnings.give({ code: 'clock_differs', text, since: clock.now() })
  }
}

function latestOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
