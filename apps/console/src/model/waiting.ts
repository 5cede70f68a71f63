// Why a pending delivery waits.

import { countText } from './numbers.ts'

/** The oldest delivery that is to be attempted still, as the service tells it. Times are ISO 8601. */
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
 * Why it waits, in a sentence that goes on after "The oldest".
 * @param timeText a moment for people, from ISO 8601
 * @param pending how many deliveries are pending, this one too: of several, others may be due before it
 */
export function waitText(
  { reason, attempts, next_attempt_at: at }: OldestPending,
  timeText: (at: string) => string,
  pending: number,
): string {
  const others = pending > 1 ? '; others may go sooner' : ''
  const attempt = `attempt ${countText(attempts + 1)}`
  switch (reason) {
    case 'suspended':
      return 'waits: the workspace is suspended'
    case 'paused':
      return 'waits for the end of the pause'
    case 'attempt':
      return 'is being sent'
    case 'retry':
      return `waits for ${attempt} at ${timeText(at)}${others}`
    case 'retry_after':
      return `waits for ${attempt} at ${timeText(at)}, which the receiver asked for (Retry-After)${others}`
    case 'sender':
      return 'waits until the service can send again'
    case 'limit':
      return 'is due and waits for its turn under the limit of its webhook'
    case 'places':
      return 'is due and waits for a free slot: other requests to its receiver are under way'
    case 'turn':
      return 'is due and is sent within seconds'
  }
}
