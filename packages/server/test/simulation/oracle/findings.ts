import type { Entry } from '../trace.ts'

/** Whoever has seen this many faults has seen enough. */
const MAX_FAULTS = 20

export interface Fault {
  readonly text: string
  /** Position in the trace of what showed it. */
  readonly position: number
  readonly about: Subject
}

/** What a fault is about, to find the entries of the trace that tell of it. */
export interface Subject {
  readonly deliveryId?: number
  readonly webhookId?: number
  readonly process?: number
}

/** What an oracle found, and where in the trace it is. */
export class Findings {
  readonly faults: Fault[] = []
  /** How often what happened. */
  readonly counts: Record<string, number> = {}
  /** Position of the entry that is being read. */
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
