/** The stored state of a webhook. A suspended workspace shows its webhooks as paused without changing it. */
export type WebhookStatus = 'on' | 'off' | 'paused'

/** The change that people request. `enabled` is true in every state but off. */
export interface EnabledState {
  readonly enabled?: boolean
  readonly paused?: boolean
}

/**
 * The resulting status. `enabled: true` leaves a paused webhook paused. Only `enabled: true` turns on a webhook that is off:
 * `paused` must not re-enable one that was disabled for failing, perhaps a moment ago.
 * @returns `null` when the webhook is off and only a change of its pause is requested
 */
export function nextStatus(current: WebhookStatus, { enabled, paused }: EnabledState): WebhookStatus | null {
  if (enabled === false) return 'off'
  if (current === 'off' && enabled === undefined) return paused === undefined ? 'off' : null
  if (paused !== undefined) return paused ? 'paused' : 'on'
  return current === 'off' ? 'on' : current
}
