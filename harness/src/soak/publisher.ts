import { FixedRateSchedule } from '../bench/load/fixedRateSchedule.ts'
import type { DialectName, WorkspaceClient } from '../support/workspaces.ts'
import { numbered } from './numbered.ts'

/** No more publishes start while this many wait for an answer; events due in that time are skipped. */
const MOST_WAITING = 200
const LOOK_EVERY_MS = 5

/** Publishes numbered events one at a time at a fixed rate. */
export class FixedRateSingles {
  /** Numbers of acknowledged events. */
  readonly acknowledged: number[] = []
  /** Errors of failed publishes. */
  readonly failures: string[] = []
  /** Events that were due while too many publishes waited. */
  leftOut = 0
  readonly #workspace: WorkspaceClient
  readonly #dialect: DialectName
  readonly #perSecond: number
  #timer: NodeJS.Timeout | undefined
  readonly #waiting = new Set<Promise<void>>()
  #next = 0

  constructor(workspace: WorkspaceClient, dialect: DialectName, perSecond: number) {
    this.#workspace = workspace
    this.#dialect = dialect
    this.#perSecond = perSecond
  }

  start(): void {
    const schedule = new FixedRateSchedule(this.#perSecond, nowNs())
    this.#timer = setInterval(() => this.#publishDue(schedule.take(nowNs()).length), LOOK_EVERY_MS)
  }

  /** Stops publishing. Resolves once all requests are answered. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#waiting)
  }

  #publishDue(events: number): void {
    for (let left = events; left > 0; left--) {
      if (this.#waiting.size >= MOST_WAITING) {
        this.leftOut += 1
        continue
      }
      const publish: Promise<void> = this.#publish(this.#next++).finally(() => this.#waiting.delete(publish))
      this.#waiting.add(publish)
    }
  }

  async #publish(number: number): Promise<void> {
    try {
      await this.#workspace.publish([numbered(this.#dialect, number)])
      this.acknowledged.push(number)
    } catch (error) {
      this.failures.push(String(error))
    }
  }
}

const nowNs = () => performance.now() * 1e6
