import type { WebhookRef } from '../../storage/rows.ts'
import { WebhookSet } from './webhookSet.ts'

/**
 * Webhooks of which the store holds due deliveries, as far as a node knows. Each claim shows what is left of those it
 * looked at; what was noted while it was under way may be news to it, and stays for the next.
 */
export class Backlogs {
  readonly #webhooks = new WebhookSet()
  /** By webhook, since which claim it is known. */
  readonly #notedSince = new Map<number, number>()
  #claim = 0

  get webhookIds(): number[] {
    return [...this.#webhooks.webhookIds]
  }

  ofWorkspace(workspaceId: number): Iterable<number> {
    return this.#webhooks.ofWorkspace(workspaceId)
  }

  has(webhookId: number): boolean {
    return this.#webhooks.has(webhookId)
  }

  add(webhook: WebhookRef): void {
    this.#webhooks.add(webhook)
    this.#notedSince.set(webhook.webhookId, this.#claim)
  }

  /** What is noted from here on is not what the claim finds. */
  claimBegins(): void {
    this.#claim += 1
  }

  /** The claim has taken whatever there was of these webhooks. */
  caughtUp(isOneOf: (webhookId: number) => boolean): void {
    for (const [webhookId, since] of this.#notedSince) {
      if (since >= this.#claim || !isOneOf(webhookId)) continue
      this.#notedSince.delete(webhookId)
      this.#webhooks.delete(webhookId)
    }
  }
}
