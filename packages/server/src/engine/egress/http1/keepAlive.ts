import type { ResponseHead } from './head.ts'

/** How long an idle connection is kept, and how long at most if the receiver asks for it. */
export const KEEP_ALIVE_MS = 4_000
const KEEP_ALIVE_MAX_MS = 30_000
/** Closed this long before the time that the receiver gave: a request that arrives as it closes is lost. */
const KEEP_ALIVE_MARGIN_MS = 2_000

/** @returns how long the connection may be idle, ms; `null`: it carries no other request */
export function keepAliveOf({ keepAlive: { allowed, timeoutMs } }: ResponseHead): number | null {
  if (!allowed) return null
  if (timeoutMs === null) return KEEP_ALIVE_MS
  const usable = Math.min(timeoutMs - KEEP_ALIVE_MARGIN_MS, KEEP_ALIVE_MAX_MS)
  return usable > 0 ? usable : null
}
