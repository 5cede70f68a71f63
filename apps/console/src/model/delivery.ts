// Deliveries of all services, with common names.

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'dead' | 'canceled'

export interface Attempt {
  readonly number: number
  readonly trigger: 'schedule' | 'retry' | 'redeliver' | 'replay' | 'recover' | 'test'
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationMs: number
  readonly statusCode: number | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** Side at fault; `null`: the attempt succeeded, or it was not recorded. */
  readonly cause: 'receiver' | 'path' | 'sender' | null
  readonly response: {
    readonly contentType: string | null
    /** `null`, like its encoding: hidden from the caller. */
    readonly body: string | null
    readonly bodyEncoding: 'utf-8' | 'base64' | null
  } | null
  /** `null`: not requested, or not recorded. */
  readonly request: SentRequest | null
}

export interface SentRequest {
  readonly url: string
  /** `null`: hidden from the caller. */
  readonly headers: Readonly<Record<string, string | null>>
}

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly status: DeliveryStatus
  /** `null`: not canceled. */
  readonly cancelReason: 'webhook_off' | 'expired' | null
  readonly nextAttemptAt: string | null
  /** `sender`: it is due, but the service cannot send. */
  readonly waitingFor: 'sender' | null
  readonly createdAt: string
  readonly finishedAt: string | null
  /** Oldest first. Only the newest are kept. */
  readonly attempts: readonly Attempt[]
  /** Request body of all attempts; `null`: not sent yet, not requested, or hidden from the caller. */
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
  /** ISO 8601. Later items may not be indexed yet; `null`: everything is indexed. */
  readonly indexedUntil?: string | null | undefined
}

export const latestAttempt = (delivery: Delivery): Attempt | null => delivery.attempts.at(-1) ?? null
/** All attempts, including those that the service omits. */
export const attemptsMade = (delivery: Delivery): number => latestAttempt(delivery)?.number ?? 0

/** Whether its latest attempt failed. */
export const failedLast = (delivery: Delivery): boolean => {
  const latest = latestAttempt(delivery)
  return latest !== null && latest.error !== null
}

/** Whether it was delivered by a manual resend. */
export const arrivedAgain = (delivery: Delivery): boolean => {
  const latest = latestAttempt(delivery)
  const byHand = latest !== null && latest.trigger !== 'schedule' && latest.trigger !== 'test'
  return delivery.status === 'delivered' && byHand && latest.error === null
}
