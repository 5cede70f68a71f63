import type { Entry } from '../trace.ts'

/** This many faults are enough. */
const MAX_FAULTS = 20

export interface Fault {
  readonly text: string
  /** Position in the trace where it appeared. */
  readonly position: number
  readonly about: Subject
}

/** The subject of a fault, to find its entries in the trace. */
export interface Subject {
  readonly deliveryId?: number
  readonly webhookId?: number
  readonly process?: number
}

/** An oracle's findings, with their positions in the trace. */
export class Findings {
  readonly faults: Fault[] = []
  /** How often each thing happened. */
  readonly counts: Record<string, number> = {}
  /** Position of the current entry. */
  position = 0

  check(right: boolean, fault: () => string, about: Subject = {}): void {
    if (right || this.faults.length >= MAX_FAULTS) return
    this.faults.push({ text: fault(), position: this.position, about })
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }
}

/** One part of the oracle: it reads the trace from its beginning to its end. */
export interface Check {
  read(entry: Entry): void
  /** Called after the last entry. */
  end(): void
}
