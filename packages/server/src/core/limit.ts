/** The rate limit of a webhook, over all nodes together. */
export interface WebhookLimit {
  /** Attempts per second, up to three decimals; `null`: unlimited. */
  readonly maxPerSecond: number | null
  /** Attempts in flight at once; `null`: as many as the operator allows for any webhook. */
  readonly maxInFlight: number | null
}

export const NO_LIMIT: WebhookLimit = { maxPerSecond: null, maxInFlight: null }

/** The range that owners may set. */
export const LIMIT_BOUNDS = {
  maxPerSecond: { least: 0.01, most: 10_000 },
  maxInFlight: { least: 1, most: 1_000 },
} as const

export const isLimited = ({ maxPerSecond, maxInFlight }: WebhookLimit): boolean =>
  maxPerSecond !== null || maxInFlight !== null

/** Deliveries of a limited webhook in memory at most: only what a node will send soon. */
const MOST_AT_HAND = 128
/** How long the deliveries in memory last at the limit. */
const AT_HAND_S = 2
/** Deliveries in memory per attempt in flight: enough that a fast receiver does not wait for claims. */
const AT_HAND_PER_SLOT = 2
const LEAST_FOR_SLOTS = 32

/** How many deliveries of a limited webhook one claim takes, and how many may wait in memory before the next one. */
export function portionOf({ maxPerSecond, maxInFlight }: WebhookLimit): number {
  const byRate = maxPerSecond === null ? MOST_AT_HAND : Math.ceil(maxPerSecond * AT_HAND_S)
  const bySlots =
    maxInFlight === null ? MOST_AT_HAND : Math.max(maxInFlight * AT_HAND_PER_SLOT, LEAST_FOR_SLOTS)
  return Math.max(1, Math.min(byRate, bySlots, MOST_AT_HAND))
}

/**
 * @param slots attempts that may be in flight at once
 * @param responseMs how long receivers usually take to answer; `null`: not known
 * @returns how many attempts begin per second while deliveries are pending; `null`: not known
 */
export function sendRateOf(
  { maxPerSecond }: WebhookLimit,
  slots: number,
  responseMs: number | null,
): number | null {
  const bySlots = responseMs === null ? null : (slots * 1_000) / Math.max(responseMs, 1)
  if (maxPerSecond === null || bySlots === null) return maxPerSecond ?? bySlots
  return Math.min(maxPerSecond, bySlots)
}
