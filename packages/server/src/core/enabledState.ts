/** What a webhook is set to; a suspended workspace shows its webhooks as paused without changing this. */
export type WebhookStatus = 'on' | 'off' | 'paused'

/** What people ask of a webhook. `enabled` is true in every state but off. */
export interface EnabledState {
  readonly enabled?: boolean
  readonly paused?: boolean
}

/**
 * The status that follows. `enabled: true` leaves a paused webhook paused. A webhook that is off is turned on with
 * `enabled: true`: `paused` alone must not bring back one that was disabled for failing, perhaps a moment ago.
 * @returns `null` when the webhook is off and only its pause is asked for
 */
export function switched(current: WebhookStatus, { enabled, paused }: EnabledState): WebhookStatus | null {
  if (enabled === false) return 'off'
  if (current === 'off' && enabled === undefined) return paused === undefined ? 'off' : null
  if (paused !== undefined) return paused ? 'paused' : 'on'
  return current === 'off' ? 'on' : current
}
