import { applySignal, type Health, type HealthChange, type TimeClosed } from '../../core/health.ts'
import type { VerbParams } from '../areas.ts'
import type { Notification } from '../rows.ts'
import type { AttemptToRecord, RecordResult } from '../storage.ts'
import { auditSwitchedOff } from './audit.ts'
import { cancel } from './cancel.ts'
import { readClosed } from './egress.ts'
import { addNotification } from './notifications.ts'
import type { Boolish } from './records.ts'
import { records, sql, tableOf } from './sql.ts'
import { all, callDriver, nothing, run, type Work } from './work.ts'

/** Of webhooks, what {@link HealthInCall} is made from. */
export const HEALTH_COLUMNS =
  'workspace_id, status, deleted_at, failing_since, warned, canceled_through, canceled_at'

/** Whether a webhook has been failing, or its members were warned that it has. */
export const IS_FAILING = 'failing_since IS NOT NULL OR warned'

/** Failed attempts of a call kept for a notification. */
const FAILURES_KEPT = 3

export const healthSql = {
  save: sql`
    UPDATE webhooks SET failing_since = x.failing_since, warned = (x.warned = 1)
    FROM ${tableOf('x', '$1', { id: 'bigint', failing_since: 'bigint', warned: 'bigint' })} WHERE webhooks.id = x.id`,
  switchOff: sql`
    UPDATE webhooks SET status = 'off', off_reason = $2, failing_since = $3, warned = $4, version = version + 1,
      updated_at = $5
    WHERE id = $1`,
  forget: sql`UPDATE webhooks SET failing_since = NULL, warned = false WHERE id = $1`,
}

/** For a webhook that is enabled again: its earlier failures no longer count. */
export const forgetFailures = (webhookId: number): Work<number> => run(healthSql.forget, [webhookId])

type RecordParams = VerbParams<'recordAttempts'>

/** What results are judged by. */
export interface WeighParams
  extends Pick<RecordParams, 'healthPolicies' | 'now' | 'steadySince' | 'failingFrom'> {
  /** From {@link outagesFor}. */
  readonly outages: readonly TimeClosed[]
}

/** When no node could send, as far as these results need it: successes need nothing. */
export function* outagesFor({
  results,
  now,
  outageNotBefore,
}: Pick<RecordParams, 'results' | 'now' | 'outageNotBefore'>): Work<readonly TimeClosed[]> {
  return results.some(({ next }) => next.status !== 'delivered')
    ? yield* readClosed(now, outageNotBefore)
    : []
}

export interface HealthRow {
  readonly workspace_id: number
  readonly status: 'on' | 'off' | 'paused'
  readonly deleted_at: number | null
  readonly failing_since: number | null
  readonly warned: Boolish
  readonly canceled_through: number | null
  readonly canceled_at: number | null
}

/** A webhook's health while the results of one call are folded into it. */
export class HealthInCall {
  readonly webhookId: number
  readonly workspaceId: number
  readonly #canceledThrough: number
  /** When what is canceled was canceled. */
  readonly canceledAt: number | null
  health: Health
  changed = false
  off: HealthChange['off'] = null
  warn = false
  /** The newest failed attempts of this call, oldest first. */
  readonly failures: AttemptToRecord[] = []

  constructor(webhookId: number, row: HealthRow | undefined) {
    this.webhookId = webhookId
    this.workspaceId = row?.workspace_id ?? 0
    this.#canceledThrough = row?.canceled_through ?? 0
    this.canceledAt = row?.canceled_at ?? null
    // A webhook that is gone is treated like one that is off: its late results change nothing.
    const on = row !== undefined && row.status !== 'off' && row.deleted_at === null
    this.health = { on, failingSince: row?.failing_since ?? null, warned: Boolean(row?.warned) }
  }

  /** Whether the delivery was canceled before this result, though its row may not say so yet. */
  canceled(deliveryId: number): boolean {
    return !this.health.on || deliveryId <= this.#canceledThrough
  }

  /** What the result would change; nothing does before {@link accept}. */
  weigh(
    result: AttemptToRecord,
    { healthPolicies, now, steadySince, failingFrom, outages }: WeighParams,
    health: Health = this.health,
  ): HealthChange {
    const { signal, attempt } = result
    return applySignal({
      health,
      signal,
      policy: healthPolicies[result.healthPolicy]!,
      failedAt: Math.max(attempt.startedAt, failingFrom ?? Number.NEGATIVE_INFINITY),
      now,
      steadySince: steadySince ?? undefined,
      outages,
    })
  }

  accept(change: HealthChange): void {
    const { failingSince, warned } = this.health
    if (change.off !== null || change.health.failingSince !== failingSince || change.health.warned !== warned)
      this.changed = true
    this.health = change.health
    this.off ??= change.off
    // Whoever received again within this same call needs no warning.
    this.warn = change.health.warned && (this.warn || change.warn)
  }

  /** A failed attempt that was recorded. */
  failed(result: AttemptToRecord): void {
    this.failures.push(result)
    if (this.failures.length > FAILURES_KEPT) this.failures.shift()
  }

  /** Whether a success leaves this as it is, which is what nearly every result finds. */
  get steady(): boolean {
    return this.health.failingSince === null && !this.health.warned
  }
}

/** Writes what the results of a call did to their webhooks. The caller excludes publishes to what is switched off. */
export function* settleHealth(
  webhooks: readonly HealthInCall[],
  now: number,
): Work<Omit<RecordResult, 'lost'>> {
  const changed = webhooks.filter((webhook) => webhook.changed)
  // Nearly every call.
  if (changed.length === 0) return { switchedOff: [], notifications: [] }
  yield* save(changed, now)
  const switchedOff: RecordResult['switchedOff'][number][] = []
  const notifications: Notification[] = []
  const workspaceIds = new Set<number>()
  for (const { webhookId, workspaceId, off, warn, failures } of changed) {
    if (off !== null) {
      switchedOff.push({ webhookId, reason: off })
      workspaceIds.add(workspaceId)
      notifications.push(yield* addNotification('webhook_off', webhookId, failures, now))
      yield* auditSwitchedOff(webhookId, off, now)
    } else if (warn) notifications.push(yield* addNotification('webhook_failing', webhookId, failures, now))
  }
  if (switchedOff.length > 0) {
    yield* callDriver('matchingChanged', [...workspaceIds])
    yield* cancel(
      switchedOff.map(({ webhookId }) => webhookId),
      now,
    )
  }
  return { switchedOff, notifications }
}

function* save(webhooks: readonly HealthInCall[], now: number): Work<void> {
  const on = webhooks
    .filter(({ off }) => off === null)
    .map(({ webhookId: id, health }) => {
      return { id, failing_since: health.failingSince, warned: health.warned ? 1 : 0 }
    })
  const off = webhooks.filter((webhook) => webhook.off !== null)
  yield* all(
    on.length === 0 ? nothing() : run(healthSql.save, [records(on)]),
    ...off.map(({ webhookId, health, off }) =>
      run(healthSql.switchOff, [webhookId, off, health.failingSince, health.warned, now]),
    ),
  )
}
