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
  // Whoever had to wait for others took its time before them: what they sent may be later than its now.
  const resetMs = Math.min(Math.max(leaving + windowMs - now, 1), windowMs)
  return { allowed, state: { remaining, resetMs } }
}
