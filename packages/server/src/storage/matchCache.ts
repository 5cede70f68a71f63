/** A webhook that gets events now: it is on, or paused and keeps them. */
export interface OnWebhook {
  readonly id: number
  readonly version: number
  /** `null`: every type. */
  readonly types: ReadonlySet<string> | null
  /** Whether its deliveries stay in the store, since it is paused or has a limit. */
  readonly held: boolean
}

export interface OnWebhookRow {
  readonly id: number
  readonly version: number
  readonly event_types: string
  /** SQLite has 0 and 1. */
  readonly held: boolean | 0 | 1
}

export function toOnWebhook({ id, version, event_types, held }: OnWebhookRow): OnWebhook {
  const types = JSON.parse(event_types) as string[]
  return { id, version, types: types.length === 0 ? null : new Set(types), held: Boolean(held) }
}

/** Workspaces in the cache; with more busy ones, some are read again. */
const MAX_WORKSPACES = 10_000

const NONE: readonly OnWebhook[] = []

/**
 * The webhooks of one workspace that are on, by subscribed type. Types that no webhook names share one list, since an open
 * catalog has any number of types.
 */
class Subscriptions {
  readonly #on: readonly OnWebhook[]
  /** Webhooks that subscribe to every type. */
  readonly #all: readonly OnWebhook[]
  /** Webhooks that name types. */
  readonly #naming = new Map<string, OnWebhook[]>()
  /** For types that a webhook names, after the first lookup. */
  readonly #matching = new Map<string, readonly OnWebhook[]>()

  constructor(on: readonly OnWebhook[]) {
    const all = on.filter(({ types }) => types === null)
    this.#on = on
    // One list for all types that all webhooks subscribe to: a fan-out stores each list once.
    this.#all = all.length === on.length ? on : all.length === 0 ? NONE : all
    for (const webhook of on) for (const type of webhook.types ?? []) this.#addTo(type, webhook)
  }

  #addTo(type: string, webhook: OnWebhook): void {
    const known = this.#naming.get(type)
    if (known === undefined) this.#naming.set(type, [webhook])
    else known.push(webhook)
  }

  of(type: string): readonly OnWebhook[] {
    const naming = this.#naming.get(type)
    if (naming === undefined) return this.#all
    let matching = this.#matching.get(type)
    if (matching === undefined) {
      const wanting = this.#all.length === 0 ? naming : merged(naming, this.#all)
      matching = wanting.length === this.#on.length ? this.#on : wanting
      this.#matching.set(type, matching)
    }
    return matching
  }
}

/** Both lists merged, by id. */
function merged(some: readonly OnWebhook[], others: readonly OnWebhook[]): readonly OnWebhook[] {
  return [...some, ...others].sort((a, b) => a.id - b.id)
}

/**
 * The webhooks of each workspace that are on, as of the present transaction. One thread does all writing, so the cache is exact
 * as long as every write to a webhook or workspace invalidates the workspace, and a rollback invalidates all.
 */
export class MatchCache {
  readonly #workspaces = new Map<number, Subscriptions>()

  /**
   * @param load reads the workspace's webhooks that are on, by id
   * @returns the same list until something of the workspace changes
   */
  match(workspaceId: number, type: string, load: () => readonly OnWebhook[]): readonly OnWebhook[] {
    let subscriptions = this.#workspaces.get(workspaceId)
    if (subscriptions === undefined) {
      if (this.#workspaces.size >= MAX_WORKSPACES) this.forgetAll()
      subscriptions = new Subscriptions(load())
      this.#workspaces.set(workspaceId, subscriptions)
    }
    return subscriptions.of(type)
  }

  forget(workspaceId: number): void {
    this.#workspaces.delete(workspaceId)
  }

  forgetAll(): void {
    this.#workspaces.clear()
  }
}
