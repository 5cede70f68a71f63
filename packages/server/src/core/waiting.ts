import type { Progress } from './delivery.ts'
import type { WebhookStatus } from './enabledState.ts'
import type { DeliveryPolicy } from './policy.ts'

/** Why a pending delivery waits. Stable names, for programs. */
export const WAIT_REASONS = [
  'suspended',
  'paused',
  'attempt',
  'retry',
  'retry_after',
  'sender',
  'limit',
  'places',
  'turn',
] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

/** Their descriptions. */
export const WAIT_REASON_TEXTS: Readonly<Record<WaitReason, string>> = {
  suspended: 'its workspace is suspended',
  paused: 'its webhook is paused',
  attempt: 'its attempt is in flight on a node, or starts as soon as the node has a free slot',
  retry: 'its last attempt failed, and the next is due at `next_attempt_at`',
  retry_after: 'as `retry`, but later than scheduled, because the receiver requested that with `Retry-After`',
  sender: 'it is due, but the service cannot send because of a fault of its own',
  limit: 'it is due, but its webhook has a rate limit, and earlier deliveries are sent first',
  places: 'it is due, but its webhook has reached its limit of requests in flight',
  turn: 'it is due and is sent within seconds, or after deliveries to busier receivers',
}

/** Tolerance in comparing waits: the end of an attempt is known only to the millisecond. */
const TOLERANCE_MS = 1_000

export interface PendingFacts extends Pick<Progress, 'attempts' | 'runStart'> {
  readonly nextAttemptAt: number
  /** Unix ms; `null`: there was no attempt yet. */
  readonly attemptedAt: number | null
  readonly leased: boolean
  readonly othersLeased: boolean
  /** Whether its webhook has a rate limit. */
  readonly limited: boolean
  readonly webhookStatus: WebhookStatus
  readonly suspended: boolean
}

/** @param sendingHeld whether sending to its webhook is stopped by a fault of the service itself @param now Unix ms */
export function whyPending(
  pending: PendingFacts,
  policy: Pick<DeliveryPolicy, 'waitsMs' | 'jitter'>,
  sendingHeld: boolean,
  now: number,
): WaitReason {
  const { nextAttemptAt, leased, othersLeased, limited, webhookStatus, suspended } = pending
  if (suspended) return 'suspended'
  if (webhookStatus !== 'on') return 'paused'
  if (leased) return 'attempt'
  if (nextAttemptAt > now) return isLengthened(pending, policy) ? 'retry_after' : 'retry'
  if (sendingHeld) return 'sender'
  if (limited) return 'limit'
  return othersLeased ? 'places' : 'turn'
}

/** Whether the wait exceeds the longest wait of the schedule for this attempt. */
function isLengthened(
  { attempts, runStart, attemptedAt, nextAttemptAt }: PendingFacts,
  { waitsMs, jitter }: Pick<DeliveryPolicy, 'waitsMs' | 'jitter'>,
): boolean {
  const waitMs = waitsMs[attempts - runStart - 1]
  if (attemptedAt === null || waitMs === undefined) return false
  return nextAttemptAt - attemptedAt > waitMs * (1 + jitter) + TOLERANCE_MS
}
