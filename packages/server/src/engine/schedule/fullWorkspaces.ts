import type { MemoryBudget } from './memoryBudget.ts'
import type { Proof } from './standings.ts'

/** A workspace is full when it has this part of what the others leave. */
const FULL_AT = 3 / 5
/** It stays full until it is down to this part, so that its next claims are large: each goes over all of its webhooks. */
const FULL_UNTIL = 3 / 10

/**
 * Workspaces that have so much in memory that nothing more is claimed for them. Without this, one with thousands of webhooks
 * would take all room there is, since claims go from webhook to webhook.
 */
export class FullWorkspaces {
  readonly #budget: Pick<MemoryBudget, 'partOf' | 'withPart'>
  readonly #proof: Proof
  readonly #ids = new Set<number>()

  constructor(budget: Pick<MemoryBudget, 'partOf' | 'withPart'>, proof: Proof) {
    this.#budget = budget
    this.#proof = proof
  }

  /** Those that are full now. */
  look(): number[] {
    for (const id of this.#ids) this.emptied(id)
    for (const id of this.#budget.withPart(FULL_AT, this.#proof)) this.#ids.add(id)
    return [...this.#ids]
  }

  /** Whether it was full at the last look, and has room again since. */
  emptied(workspaceId: number): boolean {
    if (!this.has(workspaceId) || this.#budget.partOf(workspaceId, this.#proof) > FULL_UNTIL) return false
    return this.#ids.delete(workspaceId)
  }

  /** Whether it was full at the last look. */
  has(workspaceId: number): boolean {
    return this.#ids.has(workspaceId)
  }
}
