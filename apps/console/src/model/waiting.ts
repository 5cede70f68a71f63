import { countText } from './numbers.ts'

/** The oldest pending delivery, and why it waits. Times are ISO 8601. */
export interface OldestPending {
  readonly webhook_id: string
  readonly delivery_id: string
  readonly created_at: string
  readonly next_attempt_at: string
  readonly attempts: number
  readonly reason: WaitReason
}

type WaitReason =
  | 'suspended'
  | 'paused'
  | 'attempt'
  | 'retry'
  | 'retry_after'
  | 'sender'
  | 'limit'
  | 'places'
  | 'turn'

/**
 * The reason why it waits, to follow the words "The oldest".
 * @param timeText formats an ISO 8601 time
 * @param pending number of pending deliveries, including this one
 */
export function waitText(
  { reason, attempts, next_attempt_at: at }: OldestPending,
  timeText: (at: string) => string,
  pending: number,
): string {
  const others = pending > 1 ? '. Others may be sent sooner' : ''
  const attempt = `attempt ${countText(attempts + 1)}`
  switch (reason) {
    case 'suspended':
      return 'waits because the workspace is suspended'
    case 'paused':
      return 'waits until its webhook is resumed'
    case 'attempt':
      return 'is being sent'
    case 'retry':
      return `waits for ${attempt} at ${timeText(at)}${others}`
    case 'retry_after':
      return `waits for ${attempt} at ${timeText(at)}, as requested by the receiver (Retry-After)${others}`
    case 'sender':
      return 'waits until the service can send again'
    case 'limit':
      return 'is due and waits for the limit of its webhook'
    case 'places':
      return 'is due and waits for a free slot: other requests to its receiver are in progress'
    case 'turn':
      return 'is due and will be sent within seconds'
  }
}
