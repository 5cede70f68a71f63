export type WebhookStatus = 'on' | 'off' | 'paused'

/** How a webhook stands: one that is on also fails as long as nothing has arrived since. */
export type WebhookHealth = WebhookStatus | 'failing'

export const healthOf = (status: WebhookStatus, failingSince: string | null): WebhookHealth =>
  status === 'on' && failingSince !== null ? 'failing' : status

/** A webhook of the content service or an endpoint of the advertising platform. */
export interface Webhook {
  readonly id: string
  readonly url: string
  /** Empty (advertising platform alone): all types. */
  readonly eventTypes: readonly string[]
  readonly description: string
  readonly status: WebhookStatus
  readonly offReason: 'gone' | 'failing' | 'manual' | null
  readonly failingSince: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** What people know it by: its description, or where it is. */
export const webhookName = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description === '' ? withoutScheme(url) : description

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

export interface WebhookInput {
  readonly url: string
  readonly eventTypes: readonly string[]
  readonly description: string
}

export type WebhookChanges = Partial<WebhookInput> & { readonly enabled?: boolean; readonly paused?: boolean }
