import type { Clock, Timer } from '../core/clock.ts'
import type { HealthPolicy } from '../core/health.ts'
import type { AttemptToRecord, RecordResult, Storage } from '../storage/storage.ts'
import type { Troubles } from './troubles.ts'

export interface FinishedAttempt extends Omit<AttemptToRecord, 'healthPolicy'> {
  readonly healthPolicy: HealthPolicy
}

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
  readonly #troubles: Troubles
  readonly #nodeId: () => number
  readonly #onRecorded: (result: RecordResult, attempts: readonly FinishedAttempt[]) => void
  #waiting: FinishedAttempt[] = []
  #beingWritten = 0
  /** The last write failed; the next one comes with the timer, however many results arrive until then. */
  #storeAway = false
  #timer: Timer | null = null
  #writing: Promise<boolean> | null = null

  constructor(params: {
    readonly storage: Storage
    readonly clock: Clock
    readonly troubles: Troubles
    /** The lease that attempts are recorded under; those made under an earlier one are refused by the store. */
    readonly nodeId: () => number
    readonly onRecorded: (result: RecordResult, attempts: readonly FinishedAttempt[]) => void
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#troubles = params.troubles
    this.#nodeId = params.nodeId
    this.#onRecorded = params.onRecorded
  }

  /** Results that the store does not have yet. */
  get backlog(): number {
    return this.#waiting.length + this.#beingWritten
  }

  add(attempt: FinishedAttempt): void {
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

  async #write(attempts: readonly FinishedAttempt[]): Promise<boolean> {
    let result: RecordResult | null = null
    try {
      result = await this.#storage.recordAttempts(toParams(this.#nodeId(), this.#clock.now(), attempts))
      this.#troubles.worked(WORK)
    } catch (error) {
      this.#troubles.failed(WORK, error)
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

function toParams(nodeId: number, now: number, attempts: readonly FinishedAttempt[]) {
  const healthPolicies: HealthPolicy[] = []
  const results = attempts.map(({ healthPolicy, ...attempt }) => {
    let position = healthPolicies.indexOf(healthPolicy)
    if (position === -1) position = healthPolicies.push(healthPolicy) - 1
    return { ...attempt, healthPolicy: position }
  })
  return { nodeId, now, healthPolicies, results }
}
