import type { Entry } from '../trace.ts'
import { responded } from './expectations.ts'
import type { Check } from './findings.ts'
import type { Ledger } from './ledger.ts'

/** With fewer receivers, or workspaces, a blocked egress looks like one dead receiver. */
const RECEIVERS_NEEDED = 3
const WORKSPACES_NEEDED = 2
/** A process that knows too few reads the store again at least this often while attempts fail. */
const ASKS_WITHIN_MS = 15_000

/** The receivers that each process knows, so that it can tell whether its own egress is blocked. */
export class Acquaintance implements Check {
  readonly #ledger: Ledger
  /** Webhooks that a process had a response from, or that the store named to it. */
  readonly #known = new Map<number, Set<number>>()
  /** When a process last read the store and learned too little; Unix ms. */
  readonly #leftInDoubtAt = new Map<number, number>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  read(entry: Entry): void {
    if (entry.kind === 'heard' && responded(entry.arrival))
      this.#add(entry.arrival.process, [entry.arrival.receiver + 1])
    else if (entry.kind === 'learned') {
      if (entry.webhookIds !== null) this.#add(entry.process, entry.webhookIds)
      if (!this.#knowsEnough(entry.process)) this.#leftInDoubtAt.set(entry.process, entry.at)
    }
  }

  end(): void {}

  /**
   * Whether the process could not distinguish a blocked egress from dead receivers by `at`, although it read
   * the store.
   */
  cannotTell(process: number, at: number): boolean {
    const askedAt = this.#leftInDoubtAt.get(process) ?? Number.NEGATIVE_INFINITY
    return !this.#knowsEnough(process) && at - askedAt <= ASKS_WITHIN_MS
  }

  #add(process: number, webhookIds: readonly number[]): void {
    const known = this.#known.get(process) ?? new Set()
    for (const id of webhookIds) known.add(id)
    this.#known.set(process, known)
  }

  #knowsEnough(process: number): boolean {
    const known = [...(this.#known.get(process) ?? [])]
    const workspaces = new Set(known.map((id) => this.#ledger.webhooks[id - 1]!.workspaceId))
    return known.length >= RECEIVERS_NEEDED && workspaces.size >= WORKSPACES_NEEDED
  }
}
