/** States that the list of webhooks can be filtered by; `on` includes failing ones. */
export const WEBHOOK_STATES = ['failing', 'on', 'paused', 'off'] as const

export interface WebhookSearch {
  /** Part of the URL, description or event types, or an id. */
  readonly q?: string
  readonly state?: (typeof WEBHOOK_STATES)[number]
  /** Absent: failing first. */
  readonly order?: 'newest'
}

/** For `validateSearch` of the route. */
export function webhookSearch({ q, state, order }: Record<string, unknown>): WebhookSearch {
  const known = WEBHOOK_STATES.find((each) => each === state)
  return {
    ...(q === undefined || q === '' ? {} : { q: String(q).slice(0, 200) }),
    ...(known === undefined ? {} : { state: known }),
    ...(order === 'newest' ? { order } : {}),
  }
}

export const narrows = ({ q, state }: WebhookSearch): boolean => q !== undefined || state !== undefined
