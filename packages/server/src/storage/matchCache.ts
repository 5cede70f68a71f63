/** A webhook that gets events now. */
export interface OnWebhook {
  readonly id: number
  readonly version: number
  /** `null`: every type. */
  readonly types: ReadonlySet<string> | null
}

export interface OnWebhookRow {
  readonly id: number
  readonly version: number
  readonly event_types: string
}

export function toOnWebhook({ id, version, event_types }: OnWebhookRow): OnWebhook {
  const types = JSON.parse(event_types) as string[]
  return { id, version, types: types.length === 0 ? null : new Set(types) }
}

/** Workspaces in the cache; with more busy ones, some are read again. */
const MAX_WORKSPACES = 10_000

/**
 * The webhooks of each workspace that are on, as of the transaction that runs. One thread does all writing, so the
 * cache is exact as long as every write to a webhook or workspace forgets the workspace, and a rollback forgets all.
 */
export class MatchCache {
  readonly #workspaces = new Map<number, Map<string, readonly OnWebhook[]>>()
  readonly #on = new Map<number, readonly OnWebhook[]>()

  /**
   * @param load reads the workspace's webhooks that are on
   * @returns the same list until something of the workspace changes
   */
  match(workspaceId: number, type: string, load: () => readonly OnWebhook[]): readonly OnWebhook[] {
    let byType = this.#workspaces.get(workspaceId)
    if (byType === undefined) {
      if (this.#workspaces.size >= MAX_WORKSPACES) this.forgetAll()
      byType = new Map()
      this.#workspaces.set(workspaceId, byType)
      this.#on.set(workspaceId, load())
    }
    let matching = byType.get(type)
    if (matching === undefined) {
      const on = this.#on.get(workspaceId)!
      const wanting = on.filter((webhook) => webhook.types === null || webhook.types.has(type))
      // One list for all types that all webhooks want: a fan-out keeps each list once.
      matching = wanting.length === on.length ? on : wanting
      byType.set(type, matching)
    }
    return matching
  }

  forget(workspaceId: number): void {
    this.#workspaces.delete(workspaceId)
    this.#on.delete(workspaceId)
  }

  forgetAll(): void {
    this.#workspaces.clear()
    this.#on.clear()
  }
}
