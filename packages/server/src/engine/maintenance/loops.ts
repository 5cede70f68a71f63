import type { Clock } from '../../core/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { EngineObserver } from '../log/observer.ts'
import { Loop } from '../loop.ts'
import type { Claimer } from '../schedule/claimer.ts'
import type { Lease } from '../schedule/lease.ts'

interface MaintenanceParams {
  readonly storage: Storage['maintenance']
  readonly clock: Clock
  readonly failureLog: FailureLog
}

/** Rows handled in one step: few enough that no commit of the sender waits behind it for long. */
const STEP_ROWS = 1_000
/** How long a step may keep SQLite's writer busy: publishes wait for it. With shorter steps, all the work would take longer. */
export const STEP_HOLDS_MS = 4
const CANCELATION_STEP = { limit: STEP_ROWS, holdMs: STEP_HOLDS_MS }
/** To make one delivery due changes four indexes. */
const REPLAY_STEP = { limit: 25, holdMs: STEP_HOLDS_MS }
/** Deliveries that replays make due on one node. With 200, the p99 of all others was 1.5 times as long. */
const REPLAYED_PER_SECOND = 100

/** How far a due time may exceed the longest wait: the clocks of nodes differ a little. */
const DUE_TOLERANCE_MS = MINUTE_MS

const AUDIT_RETENTION_MS = 365 * DAY_MS
/** How long a delivery that was canceled at the end of the retention stays visible. */
const EXPIRED_KEPT_MS = 7 * DAY_MS
/** How long an idempotency key is kept. */
export const IDEMPOTENCY_MS = DAY_MS

/** Releases deliveries of nodes whose lease has expired, so that other nodes attempt them. */
export function createRescuer(
  params: MaintenanceParams & {
    readonly log: Logger
    readonly lease: Pick<Lease, 'nodeId'>
    readonly leaseMs: number
    readonly observer: EngineObserver
    readonly claimer: Pick<Claimer, 'wake'>
  },
): Loop {
  const { storage, clock, log, failureLog, lease, leaseMs, observer, claimer } = params
  return new Loop({
    name: 'rescue of expired leases',
    clock,
    failureLog,
    intervalMs: leaseMs / 3,
    async work() {
      const rescued = await storage.rescueDeliveries({ byNodeId: lease.nodeId })
      if (rescued === 0) return null
      log.warn(
        { deliveries: rescued },
        'took over deliveries of a process that stopped responding or was killed',
      )
      observer.tookOver(rescued)
      claimer.wake()
      return 0
    },
  })
}

/** Cancels, in steps, pending deliveries of webhooks that were disabled or deleted. */
export function createCanceler(params: MaintenanceParams): Loop {
  const { storage, clock, failureLog } = params
  return new Loop({
    name: 'cancellation of deliveries',
    clock,
    failureLog,
    intervalMs: 10 * SECOND_MS,
    async work() {
      const canceled = await storage.cancelDeliveries({ now: clock.now(), ...CANCELATION_STEP })
      return canceled === 0 ? null : 0
    },
  })
}

/** How soon a replay that waits for its receiver checks again. */
const REPLAY_WAITS_MS = SECOND_MS / 2

/**
 * Continues bulk replays, in steps. It rests after each step for as long as the step took, and longer if many deliveries became
 * due.
 */
export function createReplayer(
  params: MaintenanceParams & { readonly claimer: Pick<Claimer, 'wake'> },
): Loop {
  const { storage, clock, failureLog, claimer } = params
  return new Loop({
    name: 'replay of dead deliveries',
    clock,
    failureLog,
    intervalMs: 10 * SECOND_MS,
    keepsRests: true,
    async work() {
      const startedAt = clock.monotonic()
      const step = await storage.stepReplays({ now: clock.now(), ...REPLAY_STEP })
      if (step.looked === 0) return step.waits ? REPLAY_WAITS_MS : null
      if (step.started > 0) claimer.wake()
      return Math.max(clock.monotonic() - startedAt, (step.started / REPLAYED_PER_SECOND) * SECOND_MS)
    },
  })
}

/** Continues retries of all pending deliveries of a webhook, at the speed of its receiver. */
export function createRetrier(
  params: MaintenanceParams & {
    readonly claimer: Pick<Claimer, 'wake'>
    /** Deliveries of one webhook that are sent at the same time. */
    readonly places: number
  },
): Loop {
  const { storage, clock, failureLog, claimer, places } = params
  let afterWebhookId = 0
  return new Loop({
    name: 'retry of pending deliveries',
    clock,
    failureLog,
    intervalMs: 10 * SECOND_MS,
    async work() {
      const step = await storage.stepRetries({ now: clock.now(), places, afterWebhookId })
      afterWebhookId = step.nextAfterWebhookId
      if (step.asked > 0) claimer.wake()
      return afterWebhookId > 0 ? 0 : null
    },
  })
}

/**
 * Makes retries due now that are due later than the longest wait allows: they were scheduled while the clock was ahead. After
 * each step it rests for as long as the step took.
 */
export function createPullIn(
  params: MaintenanceParams & {
    readonly log: Logger
    readonly longestWaitMs: () => number
    readonly observer: EngineObserver
    readonly claimer: Pick<Claimer, 'wake'>
  },
): Loop {
  const { storage, clock, log, failureLog, longestWaitMs, observer, claimer } = params
  let afterWebhookId = 0
  let sum = 0
  return new Loop({
    name: 'search for retries due too late',
    clock,
    failureLog,
    intervalMs: MINUTE_MS,
    async work() {
      const startedAt = clock.monotonic()
      const now = clock.now()
      const latest = now + longestWaitMs() + DUE_TOLERANCE_MS
      const step = await storage.pullInDue({ now, latest, limit: STEP_ROWS / 2, afterWebhookId })
      afterWebhookId = step.nextAfterWebhookId
      sum += step.pulled
      if (step.pulled > 0) {
        observer.pulledIn(step.pulled)
        claimer.wake()
      }
      // A step that changed the maximum has more to do, even if it is back at the first webhook.
      if (afterWebhookId > 0 || step.pulled === STEP_ROWS / 2) return clock.monotonic() - startedAt
      if (sum > 0) {
        log.warn(
          { deliveries: sum },
          'retries were scheduled too late while the clock was ahead; they are due now',
        )
        sum = 0
      }
      return null
    },
  })
}

/** Deletes what is older than the retention, after its pending deliveries were canceled. */
export function createRetention(
  params: MaintenanceParams & {
    readonly log: Logger
    readonly retentionMs: number
    /** Whether the clock is trusted to delete expired data. */
    readonly mayDelete: () => boolean
    readonly observer: EngineObserver
  },
): Loop {
  const { storage, clock, log, failureLog, retentionMs, mayDelete, observer } = params
  return new Loop({
    name: 'retention',
    clock,
    failureLog,
    intervalMs: HOUR_MS,
    async work() {
      if (!mayDelete()) return null
      const now = clock.now()
      const { handled, expired } = await storage.deleteExpired({
        before: now - retentionMs,
        now,
        expiredBefore: now - EXPIRED_KEPT_MS,
        auditBefore: now - AUDIT_RETENTION_MS,
        idempotencyBefore: now - IDEMPOTENCY_MS,
        limit: STEP_ROWS,
      })
      if (expired > 0) {
        const fields = { deliveries: expired, reason: 'expired' }
        log.warn(fields, 'canceled deliveries that were still pending after the retention')
        observer.expired(expired)
      }
      return handled === 0 ? null : 0
    },
  })
}
