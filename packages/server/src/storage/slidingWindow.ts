import type { LimitState, ManualSendLimit } from './storage.ts'

interface Decision {
  readonly allowed: boolean
  readonly state: LimitState
}

/** @param sentAt when earlier sends within the window were made, oldest first */
export function slidingWindow(
  sentAt: readonly number[],
  { max, windowMs }: ManualSendLimit,
  now: number,
): Decision {
  const allowed = sentAt.length < max
  const sends = allowed ? [...sentAt, now].sort((a, b) => a - b) : sentAt
  // The one whose leaving makes room; under a limit that was lowered, not the first to leave.
  const leaving = sends[Math.max(sends.length - max, 0)] ?? now
  const remaining = Math.max(max - sends.length, 0)
  return { allowed, state: { remaining, resetMs: Math.max(leaving + windowMs - now, 1) } }
}
