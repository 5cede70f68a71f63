import type { AttemptOutcome, DeliveryStatus, Progress, RunTrigger } from './delivery.ts'
import type { HealthPolicy, HealthSignal } from './health.ts'
import { parseRetryAfter, RETRY_AFTER_CAP_MS } from './retryAfter.ts'

/** What a dialect promises its receivers about delivery. Durations in milliseconds. */
export interface DeliveryPolicy {
  /** From the start of the connect, DNS included, to the status line. */
  readonly timeoutMs: number
  /** Wait after the first failed attempt, after the second, … One more attempt than waits is made. */
  readonly waitsMs: readonly number[]
  /** Each wait is varied by up to this share of itself, so that retries do not reach receivers all at the same time. */
  readonly jitter: number
  /** Whether receivers can request a longer wait by `Retry-After`. */
  readonly honorsRetryAfter: boolean
  /** The state of a delivery whose attempts are used up. */
  readonly exhaustedStatus: Extract<DeliveryStatus, 'failed' | 'dead'>
  /** Whether a 410 ends the delivery instead of being retried. */
  readonly goneEndsDelivery: boolean
  /** Whether events that come while a webhook is paused are sent after the pause; otherwise they are skipped. */
  readonly pauseHolds: boolean
  readonly health: HealthPolicy
  /** How a finished delivery is sent again on request of a person or a service. */
  readonly resends: Readonly<Record<ResendTrigger, Resend>>
}

export type ResendTrigger = Extract<RunTrigger, 'redeliver' | 'replay' | 'recover'>

interface Resend {
  /** The states that allow it; empty: the service has no such operation. */
  readonly from: readonly Exclude<DeliveryStatus, 'pending'>[]
  /** Which attempts it gets: one, or the whole schedule. */
  readonly attempts: 'one' | 'schedule'
}

/** What to do with a delivery after an attempt. */
export type Verdict =
  | {
      readonly status: 'delivered' | 'failed' | 'dead'
      readonly nextAttemptAt: null
      readonly signal: HealthSignal
    }
  | { readonly status: 'pending'; readonly nextAttemptAt: number; readonly signal: HealthSignal }

/** Attempts that the run of `progress` may make in total. */
export function attemptsAllowed({ resends, waitsMs }: DeliveryPolicy, { trigger }: Progress): number {
  if (trigger === 'test') return 1
  if (trigger !== 'schedule' && resends[trigger].attempts === 'one') return 1
  return waitsMs.length + 1
}

/** The longest wait that {@link judge} can return under a policy. */
export function longestWaitMs({ waitsMs, jitter }: DeliveryPolicy): number {
  return Math.max(RETRY_AFTER_CAP_MS, ...waitsMs.map((waitMs) => Math.ceil(waitMs * (1 + jitter))))
}

/**
 * Decides what follows one attempt.
 * @param progress of the delivery before the attempt
 * @param finishedAt Unix ms; waits count from here
 * @param random in [0, 1), decides the jitter
 */
export function judge(params: {
  readonly policy: DeliveryPolicy
  readonly progress: Progress
  readonly outcome: AttemptOutcome
  readonly finishedAt: number
  readonly random: number
}): Verdict {
  const { policy, progress, outcome, finishedAt, random } = params
  const gone = outcome.statusCode === 410
  const signal = signalOf(outcome, progress, gone)
  if (outcome.error === null) return { status: 'delivered', nextAttemptAt: null, signal }
  const made = progress.attempts - progress.runStart + 1
  if ((gone && policy.goneEndsDelivery) || made >= attemptsAllowed(policy, progress)) {
    return { status: policy.exhaustedStatus, nextAttemptAt: null, signal }
  }
  const wait = jittered(policy.waitsMs[made - 1]!, policy.jitter, random)
  const asked = policy.honorsRetryAfter ? (parseRetryAfter(outcome.retryAfter, finishedAt) ?? 0) : 0
  return { status: 'pending', nextAttemptAt: finishedAt + Math.max(wait, asked), signal }
}

function signalOf({ error }: AttemptOutcome, { trigger }: Progress, gone: boolean): HealthSignal {
  if (trigger === 'test') return 'none'
  if (error === null) return 'success'
  return gone ? 'gone' : 'failure'
}

function jittered(waitMs: number, jitter: number, random: number): number {
  return Math.round(waitMs * (1 + jitter * (2 * random - 1)))
}
