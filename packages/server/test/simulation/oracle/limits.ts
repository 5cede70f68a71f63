import type { Arrival } from '../receivers/receivers.ts'
import type { Entry } from '../trace.ts'
import { MOST_IN_MEMORY } from './contract.ts'
import type { Check, Findings } from './findings.ts'

/** Limits of one process. */
export interface InFlightLimits {
  readonly inAll: number
  readonly toOne: number
}

/** Checks that no process exceeds its limits in flight, in total or to one receiver, or in memory. */
export class Limits implements Check {
  readonly #findings: Findings
  readonly #limits: InFlightLimits
  readonly #inFlight = new Map<number, Map<number, number>>()
  readonly #inAll = new Map<number, number>()

  constructor(limits: InFlightLimits, findings: Findings) {
    this.#limits = limits
    this.#findings = findings
  }

  read(entry: Entry): void {
    if (entry.kind === 'sent') this.#change(entry.arrival, 1)
    else if (entry.kind === 'heard') this.#change(entry.arrival, -1)
    else if (entry.kind === 'loaded') {
      const { process, waiting } = entry
      this.#findings.check(
        waiting <= MOST_IN_MEMORY,
        () => `process ${process} has ${waiting} deliveries in memory`,
        { process },
      )
    }
  }

  end(): void {}

  #change({ process, receiver }: Arrival, by: 1 | -1): void {
    const ofProcess = this.#inFlight.get(process) ?? new Map<number, number>()
    this.#inFlight.set(process, ofProcess)
    const toOne = (ofProcess.get(receiver) ?? 0) + by
    const inAll = (this.#inAll.get(process) ?? 0) + by
    ofProcess.set(receiver, toOne)
    this.#inAll.set(process, inAll)
    const about = { process, webhookId: receiver + 1 }
    this.#findings.check(
      toOne <= this.#limits.toOne,
      () => `process ${process} has ${toOne} requests under way to webhook ${receiver + 1}`,
      about,
    )
    this.#findings.check(
      inAll <= this.#limits.inAll,
      () => `process ${process} has ${inAll} requests under way`,
      about,
    )
  }
}
