import { SECOND_MS } from '../../core/duration.ts'

/** Sending comes back to its full extent within this time. */
export const RAMP_MS = 30 * SECOND_MS
/** The part of all slots that it begins with. */
const FIRST_PART = 1 / 32

/** @returns how many attempts may be in flight so long after our way out was found open again */
export function slotsAfter(openForMs: number, slots: number): number {
  const part = FIRST_PART + (1 - FIRST_PART) * (openForMs / RAMP_MS)
  return Math.max(1, Math.min(slots, Math.ceil(slots * part)))
}
