/** States that the list of webhooks is narrowed down to; `on` has the failing as well. */
export const WEBHOOK_STATES = ['failing', 'on', 'paused', 'off'] as const

export interface WebhookSearch {
  /** Part of the URL, description or types, or an id. */
  readonly q?: string
  readonly state?: (typeof WEBHOOK_STATES)[number]
  /** Left out: failing first. */
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
