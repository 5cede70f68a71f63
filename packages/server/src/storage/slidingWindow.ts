import type { LimitState, ManualSendLimit } from './storage.ts'

interface Decision {
  readonly allowed: boolean
  readonly state: LimitState
}

/**
 * The rest of the limit before another send.
 * @param sentAt when the sends within the window were made, oldest first
 * @returns `resetMs`: until the number grows by one; `null`: none were used
 */
export function leftOf(
  sentAt: readonly number[],
  { max, windowMs }: ManualSendLimit,
  now: number,
): { readonly remaining: number; readonly resetMs: number | null } {
  const leaving = sentAt[Math.max(sentAt.length - max, 0)]
  const resetMs = leaving === undefined ? null : untilGone(leaving, windowMs, now)
  return { remaining: Math.max(max - sentAt.length, 0), resetMs }
}

/** @param sentAt when earlier sends within the window were made, oldest first */
export function slidingWindow(
  sentAt: readonly number[],
  { max, windowMs }: ManualSendLimit,
  now: number,
): Decision {
  const allowed = sentAt.length < max
  const sends = allowed ? [...sentAt, now].sort((a, b) => a - b) : sentAt
  // The send that makes room when it leaves the window. If the limit was lowered, it is not the oldest.
  const leaving = sends[Math.max(sends.length - max, 0)] ?? now
  const remaining = Math.max(max - sends.length, 0)
  return { allowed, state: { remaining, resetMs: untilGone(leaving, windowMs, now) } }
}

/** A call that waited for others took its `now` before them, so their sends may be later than its `now`. */
function untilGone(sentAt: number, windowMs: number, now: number): number {
  return Math.min(Math.max(sentAt + windowMs - now, 1), windowMs)
}
