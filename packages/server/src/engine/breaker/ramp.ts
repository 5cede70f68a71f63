import { SECOND_MS } from '../../core/duration.ts'

/** Sending reaches its full rate again within this time. */
export const RAMP_MS = 30 * SECOND_MS
/** The share of all slots at the start. */
const FIRST_PART = 1 / 32

/** @returns how many attempts may be in flight at a given time after the network works again */
export function slotsAfter(openForMs: number, slots: number): number {
  const part = FIRST_PART + (1 - FIRST_PART) * (openForMs / RAMP_MS)
  return Math.max(1, Math.min(slots, Math.ceil(slots * part)))
}
