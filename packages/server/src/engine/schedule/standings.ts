/** What the latest attempts say of a receiver; `untried`: nothing yet, as far as this node remembers. */
export type Standing = 'untried' | 'prompt' | 'slow'

/** Webhooks that are not known to be prompt are treated alike where the memory is shared out. */
export type Proof = 'prompt' | 'unproven'

export const proofOf = (standing: Standing): Proof => (standing === 'prompt' ? 'prompt' : 'unproven')

/** Of more webhooks than these the ones longest known are forgotten: they count as untried once more. */
const MAX_REMEMBERED = 100_000

/** Remembers which webhooks are prompt and which slow, also while nothing waits for them. */
export class Standings {
  readonly #prompt = new Set<number>()
  /** Since when each slow one is slow; monotonic milliseconds. */
  readonly #slow = new Map<number, number>()

  of(webhookId: number): Standing {
    if (this.#prompt.has(webhookId)) return 'prompt'
    return this.#slow.has(webhookId) ? 'slow' : 'untried'
  }

  /** @returns since when this webhook is slow, monotonic milliseconds; `null`: it is not */
  slowSince(webhookId: number): number | null {
    return this.#slow.get(webhookId) ?? null
  }

  setPrompt(webhookId: number): void {
    this.#slow.delete(webhookId)
    makeRoom(this.#prompt)
    this.#prompt.add(webhookId)
  }

  setSlow(webhookId: number, now: number): void {
    if (this.#slow.has(webhookId)) return
    this.#prompt.delete(webhookId)
    makeRoom(this.#slow)
    this.#slow.set(webhookId, now)
  }
}

function makeRoom(known: Set<number> | Map<number, number>): void {
  if (known.size < MAX_REMEMBERED) return
  const [longestKnown] = known.keys()
  known.delete(longestKnown!)
}
