import type { AttemptToRecord } from '../../../src/storage/storage.ts'
import type { Arrival } from '../receivers/receivers.ts'
import type { Entry } from '../trace.ts'
import type { Disturbances } from './disturbances.ts'
import { responded } from './expectations.ts'
import type { Check, Findings } from './findings.ts'
import type { Ledger } from './ledger.ts'
import type { Processes } from './processes.ts'

/** Results reach the store in groups; without faults, each is there this long after its attempt ended. */
const RECORDED_WITHIN_MS = 100
/** A failure without a response may first wait for a verdict on its cause. */
const JUDGED_WITHIN_MS = 5_000
/** The same while calls of the store fail or hang, and the machine may be suspended for a minute as well. */
const PATIENCE_MS = 180_000

/**
 * Each attempt's result reaches the store, unless its process dies before. With one request per lease, this
 * limits how often a receiver gets an event: repeats are at most the lost leases, kills and results lost with
 * them.
 */
export class Results implements Check {
  readonly #findings: Findings
  readonly #ledger: Ledger
  readonly #processes: Processes
  readonly #disturbances: Disturbances
  /** Requests that ended and whose result the store has not got, by the key of a result. */
  readonly #due = new Map<string, Arrival>()

  constructor(ledger: Ledger, processes: Processes, disturbances: Disturbances, findings: Findings) {
    this.#ledger = ledger
    this.#processes = processes
    this.#disturbances = disturbances
    this.#findings = findings
  }

  read(entry: Entry): void {
    if (entry.kind === 'heard') {
      const { arrival } = entry
      const delivery = this.#ledger.targetOf(arrival)?.id
      this.#due.set(`${arrival.process} ${delivery} ${arrival.startedAt}`, arrival)
    } else if (entry.kind === 'attempted' || entry.kind === 'refused')
      this.#settle(entry.nodeId, entry.result, entry.at)
  }

  end(): void {
    for (const arrival of this.#due.values()) {
      const { endedAt } = this.#processes.byNumber(arrival.process)
      // A process that stops while the store is away loses its results, like one that is killed.
      const died = endedAt !== null && endedAt <= arrival.endedAt! + PATIENCE_MS
      this.#check(died || this.#mayBeDeferred(arrival), arrival, () => 'never reached the store')
      this.#findings.count('results lost')
    }
  }

  #settle(nodeId: number, { deliveryId, attempt }: AttemptToRecord, at: number): void {
    const process = this.#processes.byNodeId(nodeId)?.number
    const key = `${process} ${deliveryId} ${attempt.startedAt}`
    const arrival = this.#due.get(key)
    if (arrival === undefined) return
    this.#due.delete(key)
    const lateMs = at - arrival.endedAt!
    const calm = this.#disturbances.isCalm(arrival.endedAt!, at)
    const judgedMs = responded(arrival) ? 0 : JUDGED_WITHIN_MS
    const inTime = lateMs <= (calm ? RECORDED_WITHIN_MS : PATIENCE_MS) + judgedMs
    this.#check(inTime, arrival, () => `reached the store ${lateMs} ms late`)
  }

  /** An attempt without a response does not count if the fault is the sender's. */
  #mayBeDeferred(arrival: Arrival): boolean {
    return !responded(arrival) && !this.#disturbances.isCalm(arrival.at, arrival.endedAt! + JUDGED_WITHIN_MS)
  }

  #check(right: boolean, arrival: Arrival, fault: () => string): void {
    const { process } = arrival
    const delivery = this.#ledger.targetOf(arrival)
    const about = delivery === undefined ? { process } : { deliveryId: delivery.id, process }
    const what = () => `the result of process ${process} for delivery ${delivery?.id} ${fault()}`
    this.#findings.check(right, what, about)
  }
}
