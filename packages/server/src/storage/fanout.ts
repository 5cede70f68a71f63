import { BoundedMap } from '../core/boundedMap.ts'
import type { OnWebhook } from './matchCache.ts'

/**
 * Deliveries that one publish call creates for a workspace before it answers: some 20 ms of the embedded store. The others are
 * created after the response, in steps.
 */
const MAX_IMMEDIATE = 2_000
/** Storing an event for later costs as much as creating this many deliveries. */
const NOT_WORTH_NOTING = 2

/** How many deliveries a call may still create before it answers, by workspace. */
export class ImmediateFanout {
  readonly #left = new Map<number, number>()

  /** Whether all deliveries of an event are created now. Called once per event, in order. */
  takes(workspaceId: number, deliveries: number): boolean {
    const left = this.#left.get(workspaceId) ?? MAX_IMMEDIATE
    if (deliveries > left && deliveries > NOT_WORTH_NOTING) return false
    this.#left.set(workspaceId, Math.max(0, left - deliveries))
    return true
  }
}

/**
 * Whether a batch must be rejected because a workspace would have too many deliveries waiting to be made. If nothing is
 * waiting, a batch of any size is accepted: it could never be published otherwise.
 * @param added the batch's late deliveries by workspace
 * @returns how many are waiting for the first workspace without room; `null`: the batch fits
 */
export function fullQueue(
  added: ReadonlyMap<number, number>,
  waitingOf: (workspaceId: number) => number,
  maxFanout: number,
): number | null {
  for (const [workspaceId, more] of added) {
    const waiting = waitingOf(workspaceId)
    if (waiting > 0 && waiting + more > maxFanout) return waiting
  }
  return null
}

/** A webhook that an event goes to, and its version when the event was accepted. */
export type MatchedWebhook = readonly [id: number, version: number]

/** A set of webhooks as both stores keep it: text, so that people and `move` can read it. */
export const formatMatchSet = (webhooks: readonly OnWebhook[]): string =>
  JSON.stringify(webhooks.map(({ id, version }): MatchedWebhook => [id, version]))

/** Sets kept in memory: as many workspaces can take turns without reading theirs again. */
const SETS_KEPT = 16

/** A cache of sets by id. A set never changes, and its id is not used again. */
export class MatchSets {
  readonly #sets = new BoundedMap<number, readonly MatchedWebhook[]>(SETS_KEPT)

  get(id: number): readonly MatchedWebhook[] | undefined {
    return this.#sets.get(id)
  }

  add(id: number, text: string): readonly MatchedWebhook[] {
    const set = JSON.parse(text) as MatchedWebhook[]
    this.#sets.set(id, set)
    return set
  }

  forgetAll(): void {
    this.#sets.clear()
  }
}

/** The present state of a webhook, as a fan-out needs it. */
export interface FanoutTarget {
  readonly deleted_at: number | null
  /** Its version when it was last disabled, and the time. */
  readonly disabled_version: number | null
  readonly disabled_at: number | null
}

export type LateDelivery =
  | { readonly make: 'none' }
  | { readonly make: 'pending' }
  | { readonly make: 'canceled'; readonly at: number }

/**
 * What to create for a late delivery: the result must be the same as if it had been created with its event.
 * @param version of the webhook when the event was accepted
 * @param target `undefined`: the webhook was deleted
 */
export function lateDelivery(version: number, target: FanoutTarget | undefined): LateDelivery {
  if (target === undefined || target.deleted_at !== null) return { make: 'none' }
  const { disabled_version: disabledVersion, disabled_at: at } = target
  if (disabledVersion === null || at === null || disabledVersion <= version) return { make: 'pending' }
  return { make: 'canceled', at }
}
