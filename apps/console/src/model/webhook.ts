/** Whether events go out and, while they do, whether they arrive. */
export type WebhookState =
  | { readonly kind: 'on' }
  /** On, but every attempt since then (ISO 8601) has failed. */
  | { readonly kind: 'failing'; readonly since: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'off'; readonly reason: OffReason }

/** `null`: the API does not tell it. */
export type OffReason = 'gone' | 'failing' | 'manual' | null

/** Whether events go out, arrive or not. */
export const isOn = (state: WebhookState): state is Extract<WebhookState, { kind: 'on' | 'failing' }> =>
  state.kind === 'on' || state.kind === 'failing'

/** What people say of a webhook, and may change. */
export interface WebhookInput {
  readonly url: string
  /** Empty: all types, where the service has that. */
  readonly eventTypes: readonly string[]
  readonly description: string
  /** The most attempts that begin in a second; `null`: no limit. */
  readonly maxPerSecond: number | null
  /** The most attempts under way at once; `null`: no limit of its own. */
  readonly maxInFlight: number | null
}

/** When owners are warned that a webhook is failing. */
export interface WarnRule {
  /** Failed attempts in a row; `null`: they do not matter. */
  readonly failures: number | null
  /** Of the deliveries of the last hour, the share that failed; `null`: it does not matter. */
  readonly share: number | null
  /** The share counts only of so many deliveries or more. */
  readonly deliveries: number
  /** How long after the first failure. */
  readonly afterSeconds: number
}

/** Where a service sends events: a webhook or, in the words of some, an endpoint. */
export interface Webhook extends WebhookInput {
  readonly id: string
  readonly state: WebhookState
  /** `null`: as the service has it. */
  readonly warn: WarnRule | null
  /** Until then owners get no early warnings (ISO 8601). */
  readonly snoozedUntil: string | null
  /** Since when it counts as failing, so that owners were warned (ISO 8601). */
  readonly alertedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

const LONGEST_NAME = 80

/** What all pages call it: the first line of its description or, without one, its URL. */
export function webhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  const line = description.trim().split('\n', 1)[0]!.trim()
  const name = [...(line === '' ? withoutScheme(url) : line)]
  return name.length <= LONGEST_NAME ? name.join('') : `${name.slice(0, LONGEST_NAME - 1).join('')}…`
}

export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')

/** A webhook as it was read, and what names that version to whoever changes it. */
export interface WebhookVersion {
  readonly webhook: Webhook
  readonly etag: string
}

export interface WebhookWithSecret {
  readonly webhook: Webhook
  /** `null`: a repeat of the request came too late to be shown it. */
  readonly secret: string | null
}

export type WebhookChanges = Partial<WebhookInput> & {
  readonly enabled?: boolean
  readonly paused?: boolean
  readonly warn?: WarnRule | null
  readonly snoozedUntil?: string | null
}

/** How fast deliveries may go to it; `null`: it has no limit. */
export function limitText({
  maxPerSecond,
  maxInFlight,
}: Pick<WebhookInput, 'maxPerSecond' | 'maxInFlight'>): string | null {
  const parts = [
    ...(maxPerSecond === null ? [] : [`at most ${maxPerSecond} per second`]),
    ...(maxInFlight === null ? [] : [`at most ${maxInFlight} at once`]),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}
