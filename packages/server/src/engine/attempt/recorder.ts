import type { Clock, Timer } from '../../core/clock.ts'
import type { HealthPolicy } from '../../core/health.ts'
import type { AttemptToRecord, RecordResult, Storage } from '../../storage/storage.ts'
import type { OpenNotes } from '../breaker/openNotes.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { Claimer } from '../schedule/claimer.ts'
import type { Lanes } from '../schedule/lanes.ts'
import type { Lease } from '../schedule/lease.ts'
import type { WebhookChanges } from '../schedule/webhookChanges.ts'

const FLUSH_ROWS = 512
const FLUSH_AFTER_MS = 20
const WRITE_AGAIN_AFTER_MS = 250
/** Its name in the log. */
const WORK = 'recording of attempts'

/** How far the clock can be trusted when webhooks are judged. */
interface ClockTrust {
  /** Unix ms since when the clock has not leapt; `null`: as far as is known it never did. */
  readonly steadySince: number | null
  /** Unix ms before which no webhook began to fail, while the clock is not trusted; `null`: at any time. */
  readonly failingFrom: number | null
}

/**
 * Writes the results of attempts in groups: a commit costs a disk sync however many rows it holds. Results are kept
 * until the store has them. While it is away they pile up here, and {@link backlog} tells the dispatcher to wait.
 */
export class Recorder {
  readonly #storage: Storage['sending']
  readonly #clock: Clock
  readonly #failureLog: FailureLog
  readonly #log: Logger
  readonly #lease: Pick<Lease, 'nodeId'>
  readonly #clockWatch: ClockTrust
  readonly #openNotes: Pick<OpenNotes, 'outageNotBefore'>
  readonly #lanes: Pick<Lanes, 'find' | 'unblock' | 'ready'>
  readonly #claimer: Pick<Claimer, 'wake'>
  readonly #webhookChanges: Pick<WebhookChanges, 'changed'>
  readonly #observer: Pick<EngineObserver, 'recorded'>
  readonly #onNotified: () => void
  readonly #onRetried: () => void
  /** One for each dialect, so they are few. */
  readonly #healthPolicies: HealthPolicy[] = []
  #waiting: AttemptToRecord[] = []
  #beingWritten = 0
  /** The last write failed; the next one comes with the timer, however many results arrive until then. */
  #storeAway = false
  #timer: Timer | null = null
  #writing: Promise<boolean> | null = null

  constructor(params: {
    readonly storage: Storage['sending']
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly log: Logger
    /** The lease that attempts are recorded under; the store rejects those made under an earlier one. */
    readonly lease: Pick<Lease, 'nodeId'>
    readonly clockWatch: ClockTrust
    readonly openNotes: Pick<OpenNotes, 'outageNotBefore'>
    readonly lanes: Pick<Lanes, 'find' | 'unblock' | 'ready'>
    readonly claimer: Pick<Claimer, 'wake'>
    readonly webhookChanges: Pick<WebhookChanges, 'changed'>
    readonly observer: Pick<EngineObserver, 'recorded'>
    /** Called when the store has a new notification to send by e-mail. */
    readonly onNotified: () => void
    /** Called when the store has results of attempts that were asked for before they were due. */
    readonly onRetried: () => void
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#failureLog = params.failureLog
    this.#log = params.log
    this.#lease = params.lease
    this.#clockWatch = params.clockWatch
    this.#openNotes = params.openNotes
    this.#lanes = params.lanes
    this.#claimer = params.claimer
    this.#webhookChanges = params.webhookChanges
    this.#observer = params.observer
    this.#onNotified = params.onNotified
    this.#onRetried = params.onRetried
  }

  /** Results that the store does not have yet. */
  get backlog(): number {
    return this.#waiting.length + this.#beingWritten
  }

  /** @returns the number by which an attempt's `healthPolicy` names this policy */
  numberOf(policy: HealthPolicy): number {
    const number = this.#healthPolicies.indexOf(policy)
    return number === -1 ? this.#healthPolicies.push(policy) - 1 : number
  }

  add(attempt: AttemptToRecord): void {
    this.#waiting.push(attempt)
    if (this.#writing === null && !this.#storeAway) this.#flushSoon()
  }

  /** Writes everything added so far. @returns false when the store takes nothing now */
  async drain(): Promise<boolean> {
    while (this.backlog > 0) {
      this.#flush()
      if (!(await this.#writing)) return false
    }
    return true
  }

  #flushSoon(): void {
    if (this.#waiting.length >= FLUSH_ROWS) this.#flush()
    else this.#timer ??= this.#clock.after(FLUSH_AFTER_MS, () => this.#flush())
  }

  #flush(): void {
    this.#timer?.cancel()
    this.#timer = null
    if (this.#writing !== null || this.#waiting.length === 0) return
    const attempts = this.#waiting
    this.#waiting = []
    this.#beingWritten = attempts.length
    this.#writing = this.#write(attempts)
  }

  async #write(attempts: readonly AttemptToRecord[]): Promise<boolean> {
    let result: RecordResult | null = null
    try {
      const { steadySince, failingFrom } = this.#clockWatch
      result = await this.#storage.recordAttempts({
        nodeId: this.#lease.nodeId,
        now: this.#clock.now(),
        healthPolicies: this.#healthPolicies,
        steadySince,
        outageNotBefore: this.#openNotes.outageNotBefore,
        failingFrom,
        results: attempts,
      })
      this.#failureLog.worked(WORK)
    } catch (error) {
      this.#failureLog.failed(WORK, error)
      this.#waiting = [...attempts, ...this.#waiting]
    }
    this.#writing = null
    this.#beingWritten = 0
    this.#storeAway = result === null
    if (result === null) {
      this.#timer = this.#clock.after(WRITE_AGAIN_AFTER_MS, () => this.#flush())
      return false
    }
    if (this.#waiting.length > 0) this.#flushSoon()
    this.#recorded(result, attempts)
    return true
  }

  /** Applies the consequences of results that are stored. */
  #recorded(result: RecordResult, attempts: readonly AttemptToRecord[]): void {
    let nextDueAt = Number.POSITIVE_INFINITY
    let retried = false
    for (const { attempt, next, signal, webhookId } of attempts) {
      if (attempt.trigger === 'retry') retried = true
      if (next.status === 'pending') nextDueAt = Math.min(nextDueAt, next.nextAttemptAt)
      // From here on the store knows whether it is disabled.
      const lane = signal === 'gone' ? this.#lanes.find(webhookId) : undefined
      if (lane !== undefined) this.#lanes.unblock(lane, 'disabling')
    }
    if (nextDueAt !== Number.POSITIVE_INFINITY) this.#claimer.wake(nextDueAt)
    for (const { webhookId } of result.disabled) this.#webhookChanges.changed(webhookId)
    if (retried) this.#onRetried()
    this.#tell(result)
    this.#observer.recorded(attempts.length)
    this.#lanes.ready()
  }

  #tell({ notifications, lost }: RecordResult): void {
    for (const { kind, data } of notifications) {
      // Not the URL, which often contains a token.
      const { webhook_public_id: webhook, reason, failing_since } = data
      this.#log.warn(
        { notification: kind, webhook, reason, failing_since },
        kind === 'webhook_off' ? 'webhook disabled' : 'webhook keeps failing',
      )
    }
    if (notifications.length > 0) this.#onNotified()
    if (lost.length > 0) {
      this.#log.warn(
        { deliveries: lost.length },
        'attempts ended after their lease; another node has taken over their deliveries',
      )
    }
  }
}
