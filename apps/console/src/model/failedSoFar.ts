import { counted, deliveriesText } from './numbers.ts'

/** What one look found. */
interface Counted {
  readonly count: number
  /** Whether there may be more than were looked at. */
  readonly more: boolean
}

const areOrIs = ({ count, more }: Counted) => (count === 1 && !more ? 'is' : 'are')

/** Why nothing has failed for good although attempts fail. */
export const failedSoFarText = (pending: Counted): string =>
  `No delivery that matches has used up its attempts. ${pending.more ? 'At least ' : ''}${pending.count} ${areOrIs(pending)} pending after a failed attempt.`

/**
 * What else of a webhook failed or waits, for somebody whose delivery just arrived; `null`: nothing.
 * @param failedWord what the service calls those that used up their attempts
 */
export function othersText(
  { failed, pending }: { readonly failed: Counted; readonly pending: Counted },
  { noun, failedWord }: { readonly noun: string; readonly failedWord: string },
): string | null {
  const parts = [
    ...(failed.count === 0
      ? []
      : [counted(failed.count, `other ${failedWord} delivery`, `other ${failedWord} deliveries`)]),
    ...(pending.count === 0 ? [] : [`${deliveriesText(pending.count)} pending after a failed attempt`]),
  ]
  if (parts.length === 0) return null
  return `This ${noun} has ${failed.more || pending.more ? 'at least ' : ''}${parts.join(' and ')}.`
}
