import type { Entry } from '../trace.ts'
import type { Check, Findings } from './findings.ts'
import type { Ledger } from './ledger.ts'

/** Acknowledged events must be stored by then. The ledger checks that none of them is lost. */
export class Acknowledgements implements Check {
  readonly #findings: Findings
  readonly #ledger: Ledger

  constructor(ledger: Ledger, findings: Findings) {
    this.#ledger = ledger
    this.#findings = findings
  }

  read(entry: Entry): void {
    if (entry.kind !== 'acknowledged') return
    this.#findings.count(entry.repeated ? 'acknowledged again' : 'acknowledged')
    for (const event of entry.events)
      this.#findings.check(
        this.#ledger.isStored(event),
        () => `event ${event} was acknowledged by process ${entry.process} and is not stored`,
        { process: entry.process },
      )
  }

  end(): void {}
}
