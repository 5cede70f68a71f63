import type { WebhookRef } from '../../storage/rows.ts'

/** Webhooks that can be looked up by workspace. */
export class WebhookSet {
  readonly #workspaceIds = new Map<number, number>()
  readonly #byWorkspace = new Map<number, Set<number>>()

  get webhookIds(): Iterable<number> {
    return this.#workspaceIds.keys()
  }

  has(webhookId: number): boolean {
    return this.#workspaceIds.has(webhookId)
  }

  ofWorkspace(workspaceId: number): Iterable<number> {
    return this.#byWorkspace.get(workspaceId) ?? []
  }

  add({ webhookId, workspaceId }: WebhookRef): void {
    this.#workspaceIds.set(webhookId, workspaceId)
    const webhookIds = this.#byWorkspace.get(workspaceId)
    if (webhookIds === undefined) this.#byWorkspace.set(workspaceId, new Set([webhookId]))
    else webhookIds.add(webhookId)
  }

  delete(webhookId: number): void {
    const workspaceId = this.#workspaceIds.get(webhookId)
    if (workspaceId === undefined) return
    this.#workspaceIds.delete(webhookId)
    const webhookIds = this.#byWorkspace.get(workspaceId)!
    webhookIds.delete(webhookId)
    if (webhookIds.size === 0) this.#byWorkspace.delete(workspaceId)
  }
}
