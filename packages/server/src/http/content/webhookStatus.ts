import type { WebhookStatus } from '../../storage/rows.ts'
import { Problem } from '../shared/problems.ts'
import type { Mistakes } from '../shared/validation.ts'

export interface Switches {
  readonly enabled?: boolean
  readonly paused?: boolean
}

/** Refuses what contradicts itself: a webhook that is off cannot be paused. */
export function checkSwitches(
  { enabled, paused }: { readonly enabled?: unknown; readonly paused?: unknown },
  mistakes: Mistakes,
): void {
  if (enabled === false && paused === true) {
    mistakes.add('/paused', 'cannot be true while enabled is false: a webhook is either off or paused')
  }
}

/**
 * The status that a change asks for; `null` when it asks for none.
 *
 * `enabled` is true in every state but off, so `enabled: true` leaves a paused webhook paused. A webhook that is off
 * is turned on first, with `enabled: true` in the same request or an earlier one: `paused: false` alone must not
 * bring back a webhook that was switched off for failing.
 *
 * What already holds is asked for all the same: in a suspended workspace every webhook shows as paused, and one that
 * is to stay paused when the suspension ends must say so to the store.
 * @throws Problem `webhook_not_on`
 */
export function statusAsked(current: WebhookStatus, { enabled, paused }: Switches): WebhookStatus | null {
  if (enabled === false) return 'off'
  if (current === 'off' && enabled === undefined && paused !== undefined) {
    throw new Problem('webhook_not_on', 'The webhook is off; send enabled true as well to turn it on.')
  }
  if (paused !== undefined) return paused ? 'paused' : 'on'
  return current === 'off' && enabled === true ? 'on' : null
}
