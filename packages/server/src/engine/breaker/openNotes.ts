import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { OUTAGE_AFTER_MS, type Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Loop } from '../loop.ts'
import type { ClockWatch } from '../maintenance/clockWatch.ts'

const NOTE_EVERY_MS = 10 * SECOND_MS
/** How often a node that holds sending checks whether others send. It takes up to four checks until their notes are visible. */
const LOOK_EVERY_MS = 5 * SECOND_MS
const LOOKS = 4
/** Its name in the log. */
const WORK = 'note that sending is possible'

/**
 * Notes in the store that this node can send. A time without notes of any node is an outage of ours, whatever its cause, and
 * does not count against receivers.
 */
export class OpenNotes {
  readonly #params: ConstructorParameters<typeof OpenNotes>[0]
  readonly #loop: Loop
  /** Number of due deliveries, as last counted while sending is held. */
  #due = 0
  /** When this node last noted that it can send; monotonic ms. */
  #notedAt: number | null = null
  /** Checks in this outage that found no other node that can send. */
  #vainLooks = 0

  constructor(params: {
    readonly storage: Storage['egress']
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly clockWatch: Pick<ClockWatch, 'steadySince'>
    /** Since when this node holds sending, Unix ms; `null`: it does not. */
    readonly heldSince: () => number | null
    /** Counts deliveries that are due. */
    readonly countDue: () => Promise<number>
  }) {
    this.#params = params
    const { clock, failureLog } = params
    this.#loop = new Loop({
      name: WORK,
      clock,
      failureLog,
      intervalMs: NOTE_EVERY_MS,
      work: async () => {
        const heldSince = this.#params.heldSince()
        if (heldSince !== null) return this.#lookForOthers(heldSince)
        await this.#note()
        return null
      },
    })
  }

  /** Whether no node can send, as far as is known. */
  get allHeld(): boolean {
    return this.#vainLooks >= LOOKS
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** This node starts to hold sending. */
  held(): void {
    this.#due = 0
    this.#loop.wake()
  }

  /**
   * Sending may resume. Due deliveries are not counted now, since a long queue would delay it.
   * @returns how many deliveries are due, as last counted; `null`: the store could not note it
   */
  async note(): Promise<number | null> {
    const { failureLog } = this.#params
    try {
      await this.#noteOpen()
      failureLog.worked(WORK)
      return this.#due
    } catch (error) {
      failureLog.failed(WORK, error)
      return null
    }
  }

  async #note(): Promise<void> {
    const { storage, clock } = this.#params
    const openAt = await storage.readOpen({})
    this.#due = 0
    if (openAt !== null && clock.now() - openAt > OUTAGE_AFTER_MS) await this.#countDue()
    await this.#noteOpen()
  }

  /**
   * The earliest possible start of the present outage, Unix ms; `null`: not known. It is this node's own last note, which a
   * jump of the clock does not change.
   */
  get outageNotBefore(): number | null {
    const { clock, clockWatch } = this.#params
    const sinceNote = this.#notedAt === null ? null : Math.round(clock.monotonic() - this.#notedAt)
    const notedAt = sinceNote === null ? null : clock.now() - sinceNote
    if (notedAt === null || clockWatch.steadySince === null) return notedAt ?? clockWatch.steadySince
    return Math.max(notedAt, clockWatch.steadySince)
  }

  async #noteOpen(): Promise<void> {
    const { storage, clock } = this.#params
    const startedAt = clock.monotonic()
    await storage.noteOpen({ now: clock.now(), waited: this.#due, notBefore: this.outageNotBefore })
    this.#notedAt = startedAt
    this.#vainLooks = 0
  }

  /** If counting fails, the last count stays: it is only displayed. */
  async #countDue(): Promise<void> {
    try {
      this.#due = await this.#params.countDue()
    } catch {}
  }

  async #lookForOthers(heldSince: number): Promise<number> {
    const { storage, clock } = this.#params
    void this.#countDue()
    const openAt = await storage.readOpen({})
    const othersSend = openAt !== null && openAt > heldSince && clock.now() - openAt < 2 * NOTE_EVERY_MS
    this.#vainLooks = othersSend ? 0 : this.#vainLooks + 1
    return LOOK_EVERY_MS
  }
}
