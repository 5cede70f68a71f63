import type { ConsumerStart, StartDraft } from './consumer.ts'
import { fromLocalInput } from './localTime.ts'

/** Validates form input for a position; `null`: valid. @param now Unix ms */
export function mistakeInStart({ kind, since, after }: StartDraft, now: number): string | null {
  if (kind === 'after' && after.trim() === '') return 'Enter the id of an event.'
  if (kind !== 'since') return null
  const at = fromLocalInput(since)
  if (at === null) return 'Enter a date and a time.'
  return Date.parse(at) > now ? 'This time is in the future. Enter one that has passed.' : null
}

/** @param draft valid input */
export function startOf({ kind, since, after }: StartDraft): ConsumerStart {
  if (kind === 'since') return { since: fromLocalInput(since)! }
  return kind === 'after' ? { after: after.trim() } : { start: kind }
}
