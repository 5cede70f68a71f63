// Deliveries of every service, under one set of names.

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'dead' | 'canceled'

export interface Attempt {
  readonly number: number
  readonly trigger: 'schedule' | 'retry' | 'redeliver' | 'replay' | 'recover' | 'test'
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationMs: number
  readonly statusCode: number | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** Whose fault a failure was; `null`: it succeeded, or that was not kept. */
  readonly cause: 'receiver' | 'path' | 'sender' | null
  readonly response: {
    readonly contentType: string | null
    /** `null`, like its encoding: the caller may not see it. */
    readonly body: string | null
    readonly bodyEncoding: 'utf-8' | 'base64' | null
  } | null
  /** `null`: not asked for, or from before it was kept. */
  readonly request: SentRequest | null
}

export interface SentRequest {
  readonly url: string
  /** `null`: the caller may not see it. */
  readonly headers: Readonly<Record<string, string | null>>
}

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly status: DeliveryStatus
  /** `null`: it is not canceled. */
  readonly cancelReason: 'webhook_off' | 'expired' | null
  readonly nextAttemptAt: string | null
  /** `sender`: it is due, and a fault of the service's own keeps it waiting. */
  readonly waitingFor: 'sender' | null
  readonly createdAt: string
  readonly finishedAt: string | null
  /** Oldest first; of many, the newest. */
  readonly attempts: readonly Attempt[]
  /** The bytes that every attempt sends; `null`: nothing was sent yet, it was not asked for, or the caller may not see it. */
  readonly requestBody: string | null
}

export interface DeliveryFilter {
  /** Words, or an id. */
  readonly q?: string | undefined
  readonly webhookId?: string | undefined
  readonly status?: DeliveryStatus | undefined
  readonly eventType?: string | undefined
  readonly eventId?: string | undefined
  /** `404`, `5xx`, `none`. */
  readonly statusCode?: string | undefined
  /** ISO 8601. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
  /** ISO 8601: what happened later may be missing, since it is not indexed yet; `null`: nothing is. */
  readonly indexedUntil?: string | null | undefined
}

export const latestAttempt = (delivery: Delivery): Attempt | null => delivery.attempts.at(-1) ?? null
/** How many there were, also those that the service leaves out of what it tells. */
export const attemptsMade = (delivery: Delivery): number => latestAttempt(delivery)?.number ?? 0

/** Whether its latest attempt failed. */
export const failedLast = (delivery: Delivery): boolean => {
  const latest = latestAttempt(delivery)
  return latest !== null && latest.error !== null
}

/** Whether somebody sent it again, and it arrived. */
export const arrivedAgain = (delivery: Delivery): boolean => {
  const latest = latestAttempt(delivery)
  const byHand = latest !== null && latest.trigger !== 'schedule' && latest.trigger !== 'test'
  return delivery.status === 'delivered' && byHand && latest.error === null
}
