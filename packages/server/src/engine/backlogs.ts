/**
 * Webhooks of which the store holds due deliveries, as far as a node knows. Each claim shows anew what is left of those it
 * looked at; what was noted while it was under way may be news to it, and stays for the next.
 */
export class Backlogs {
  /** By webhook, since which claim it is known. */
  readonly #notedSince = new Map<number, number>()
  #claim = 0

  get webhookIds(): number[] {
    return [...this.#notedSince.keys()]
  }

  has(webhookId: number): boolean {
    return this.#notedSince.has(webhookId)
  }

  add(webhookId: number): void {
    this.#notedSince.set(webhookId, this.#claim)
  }

  /** What is noted from here on is not what the claim finds. */
  claimBegins(): void {
    this.#claim += 1
  }

  /** The claim has taken whatever there was of these webhooks. */
  caughtUp(isOneOf: (webhookId: number) => boolean): void {
    for (const [webhookId, since] of this.#notedSince) {
      if (since < this.#claim && isOneOf(webhookId)) this.#notedSince.delete(webhookId)
    }
  }
}
