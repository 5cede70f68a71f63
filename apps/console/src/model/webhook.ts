/** State of a webhook. */
export type WebhookState =
  | { readonly kind: 'on' }
  /** Enabled, but every attempt since then (ISO 8601) has failed. */
  | { readonly kind: 'failing'; readonly since: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'off'; readonly reason: OffReason }

/** `null`: unknown. */
export type OffReason = 'gone' | 'failing' | 'manual' | null

/** State names shown to users. */
export const STATE_NAMES: Readonly<Record<WebhookState['kind'], string>> = {
  on: 'enabled',
  failing: 'failing',
  paused: 'paused',
  off: 'disabled',
}

/** Whether events are sent, successfully or not. */
export const isOn = (state: WebhookState): state is Extract<WebhookState, { kind: 'on' | 'failing' }> =>
  state.kind === 'on' || state.kind === 'failing'

/** The editable fields of a webhook. */
export interface WebhookInput {
  readonly url: string
  /** Empty: all types, if the service allows it. */
  readonly eventTypes: readonly string[]
  readonly description: string
  /** Attempts per second; `null`: unlimited. */
  readonly maxPerSecond: number | null
  /** Concurrent attempts; `null`: the service's default. */
  readonly maxInFlight: number | null
}

/** Condition for warning owners about a failing webhook. */
export interface WarnRule {
  /** Consecutive failed attempts; `null`: ignored. */
  readonly failures: number | null
  /** Failed share of the deliveries of the last hour; `null`: ignored. */
  readonly share: number | null
  /** Minimum number of deliveries for `share`. */
  readonly deliveries: number
  /** Minimum time after the first failure. */
  readonly afterSeconds: number
}

/** A webhook, which some services call an endpoint. */
export interface Webhook extends WebhookInput {
  readonly id: string
  readonly state: WebhookState
  /** `null`: the rule of the service. */
  readonly warn: WarnRule | null
  /** Owners get no early warnings until then (ISO 8601). */
  readonly snoozedUntil: string | null
  /** When owners were warned that it is failing (ISO 8601). */
  readonly alertedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

const LONGEST_NAME = 80

/** Display name on all pages: the first line of its description, or else its URL. */
export function webhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  const line = description.trim().split('\n', 1)[0]!.trim()
  const name = [...(line === '' ? withoutScheme(url) : line)]
  return name.length <= LONGEST_NAME ? name.join('') : `${name.slice(0, LONGEST_NAME - 1).join('')}…`
}

export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')

/** A webhook, and the ETag for changing this version. */
export interface WebhookVersion {
  readonly webhook: Webhook
  readonly etag: string
}

export interface WebhookWithSecret {
  readonly webhook: Webhook
  /** `null`: no longer available when the request was repeated. */
  readonly secret: string | null
}

export type WebhookChanges = Partial<WebhookInput> & {
  readonly enabled?: boolean
  readonly paused?: boolean
  readonly warn?: WarnRule | null
  readonly snoozedUntil?: string | null
}

/** The limits of a webhook in words; `null`: none. */
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
