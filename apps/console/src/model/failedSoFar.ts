import { counted, deliveriesText } from './numbers.ts'

/** Result of a limited count. */
interface Counted {
  readonly count: number
  /** Whether there may be more. */
  readonly more: boolean
}

const areOrIs = ({ count, more }: Counted) => (count === 1 && !more ? 'is' : 'are')

/** Explains an empty list of failed deliveries while attempts are failing. */
export const failedSoFarText = (pending: Counted): string =>
  `No matching delivery has used all of its attempts. ${pending.more ? 'At least ' : ''}${pending.count} ${areOrIs(pending)} pending after a failed attempt.`

/**
 * Other failed and pending deliveries of a webhook, shown after a successful resend; `null`: none.
 * @param failedWord the service's word for failed deliveries
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
