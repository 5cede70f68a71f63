import type { Clock, Timer } from '../../core/clock.ts'
import type { HealthPolicy } from '../../core/health.ts'
import type { AttemptToRecord, RecordResult, Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { ClockWatch } from '../maintenance/clockWatch.ts'

const FLUSH_ROWS = 512
const FLUSH_AFTER_MS = 20
const WRITE_AGAIN_AFTER_MS = 250
/** As the log calls it. */
const WORK = 'recording of attempts'

/**
 * Writes the results of attempts in groups: a commit costs a disk sync however many rows it holds. Results are kept
 * until the store has them; as long as it is away they pile up here, and {@link backlog} tells the sender to wait.
 */
export class Recorder {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #failureLog: FailureLog
  readonly #nodeId: () => number
  readonly #clockWatch: () => Pick<ClockWatch, 'steadySince' | 'failingFrom'>
  readonly #onRecorded: (result: RecordResult, attempts: readonly AttemptToRecord[]) => void
  /** Those of the dialects served, so they are few. */
  readonly #healthPolicies: HealthPolicy[] = []
  #waiting: AttemptToRecord[] = []
  #beingWritten = 0
  /** The last write failed; the next one comes with the timer, however many results arrive until then. */
  #storeAway = false
  #timer: Timer | null = null
  #writing: Promise<boolean> | null = null

  constructor(params: {
    readonly storage: Storage
    readonly clock: Clock
    readonly failureLog: FailureLog
    /** The lease that attempts are recorded under; those made under an earlier one are refused by the store. */
    readonly nodeId: () => number
    readonly clockWatch: () => Pick<ClockWatch, 'steadySince' | 'failingFrom'>
    readonly onRecorded: (result: RecordResult, attempts: readonly AttemptToRecord[]) => void
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#failureLog = params.failureLog
    this.#nodeId = params.nodeId
    this.#clockWatch = params.clockWatch
    this.#onRecorded = params.onRecorded
  }

  /** Results that the store does not have yet. */
  get backlog(): number {
    return this.#waiting.length + this.#beingWritten
  }

  /** @returns what `healthPolicy` of an attempt under this policy has to be */
  numberOf(policy: HealthPolicy): number {
    const number = this.#healthPolicies.indexOf(policy)
    return number === -1 ? this.#healthPolicies.push(policy) - 1 : number
  }

  add(attempt: AttemptToRecord): void {
    this.#waiting.push(attempt)
    if (this.#writing !== null || this.#storeAway) return
    if (this.#waiting.length >= FLUSH_ROWS) this.#flush()
    else this.#timer ??= this.#clock.after(FLUSH_AFTER_MS, () => this.#flush())
  }

  /** Writes everything added so far. @returns false when the store takes nothing now */
  async drain(): Promise<boolean> {
    while (this.backlog > 0) {
      this.#flush()
      if (!(await this.#writing)) return false
    }
    return true
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
      const { steadySince, failingFrom } = this.#clockWatch()
      result = await this.#storage.recordAttempts({
        nodeId: this.#nodeId(),
        now: this.#clock.now(),
        healthPolicies: this.#healthPolicies,
        steadySince,
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
    if (this.#waiting.length >= FLUSH_ROWS) this.#flush()
    else if (this.#waiting.length > 0) this.#timer ??= this.#clock.after(FLUSH_AFTER_MS, () => this.#flush())
    this.#onRecorded(result, attempts)
    return true
  }
}
