import { MINUTE_MS } from '../../core/duration.ts'
import {
  type AlertReason,
  applyEarly,
  type EarlyChange,
  type EarlyState,
  type Share,
  weighShare,
} from '../../core/earlyWarning.ts'
import {
  applySignal,
  type EarlyPolicy,
  type Health,
  type HealthChange,
  type TimeClosed,
  timeOpen,
} from '../../core/health.ts'
import type { After } from '../afterAttempt.ts'
import type { CallParams } from '../callGroups.ts'
import type { Notification } from '../rows.ts'
import type { AttemptToRecord, RecordResult } from '../storage.ts'
import { addAlerts, readShare } from './alerts.ts'
import { auditDisabled } from './audit.ts'
import { cancel } from './cancel.ts'
import { readClosed } from './egress.ts'
import { addNotification } from './notifications.ts'
import type { Boolish } from './rowMappers.ts'
import { records, sql, tableOf } from './sql.ts'
import { all, callDriver, nothing, run, type Work } from './work.ts'

/** Of webhooks, what {@link HealthInCall} is made from. */
export const HEALTH_COLUMNS =
  'workspace_id, status, deleted_at, failing_since, warned, canceled_through, canceled_at, failures, alert_reason, ' +
  'alerted_at, recovered_at, snoozed_until, warn'

/** Whether a webhook has been failing, or its members were warned that it has. */
export const FAILING_OR_WARNED = 'failing_since IS NOT NULL OR warned OR alerted_at IS NOT NULL'

/** Failed attempts of a call kept for a notification. */
const FAILURES_KEPT = 3
/** Deliveries of a call that used up their attempts, kept for alerts. */
const EXHAUSTED_KEPT = 10
/** A share of failed deliveries is looked at no more often. */
const SHARE_EVERY_MS = MINUTE_MS
/** Webhooks whose share is looked at in one call: some 20 ms. */
const MAX_SHARES = 20

const SAVED = {
  id: 'bigint',
  failing_since: 'bigint',
  warned: 'bigint',
  failures: 'bigint',
  alert_reason: 'text',
  alerted_at: 'bigint',
  recovered_at: 'bigint',
} as const

export const healthSql = {
  save: sql`
    UPDATE webhooks SET failing_since = x.failing_since, warned = (x.warned = 1), failures = x.failures,
      alert_reason = x.alert_reason, alerted_at = x.alerted_at, recovered_at = x.recovered_at
    FROM ${tableOf('x', '$1', SAVED)} WHERE webhooks.id = x.id`,
  disable: sql`
    UPDATE webhooks SET status = 'off', off_reason = $2, failing_since = $3, warned = $4, version = version + 1,
      updated_at = $5
    WHERE id = $1`,
  forget: sql`
    UPDATE webhooks SET failing_since = NULL, warned = false, failures = 0, alert_reason = NULL, alerted_at = NULL,
      recovered_at = $2
    WHERE id = $1`,
}

/** For a webhook that is enabled again: its earlier failures no longer count. */
export const forgetFailures = (webhookId: number, now: number): Work<number> =>
  run(healthSql.forget, [webhookId, now])

type RecordParams = CallParams<'recordAttempts'>

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
  readonly failures: number
  readonly alert_reason: AlertReason | null
  readonly alerted_at: number | null
  readonly recovered_at: number | null
  readonly snoozed_until: number | null
  /** As JSON; `null`: as the service has it. */
  readonly warn: string | null
}

/** A webhook's health while the results of one call are folded into it. */
export class HealthInCall {
  readonly webhookId: number
  readonly workspaceId: number
  readonly #canceledThrough: number
  /** When the canceled deliveries were canceled. */
  readonly canceledAt: number | null
  health: Health
  changed = false
  off: HealthChange['off'] = null
  warn = false
  /** The newest failed attempts of this call, oldest first. */
  readonly failures: AttemptToRecord[] = []
  early: EarlyState
  /** Whether it came to count as failing in this call, or ceased to. */
  turn: EarlyChange['turn'] = null
  /** Since when it had been failing when it recovered. */
  failedSince: number | null = null
  /** Its share of failed deliveries, if that made it count as failing. */
  share: Share | null = null
  readonly snoozedUntil: number | null
  /** When it last recovered, or was enabled; earlier failures do not count. */
  recoveredAt: number | null
  /** Deliveries that used up their attempts in this call; the first of them are kept. */
  exhausted = 0
  readonly exhaustedFirst: AttemptToRecord[] = []
  /** Whether anything but a success of a healthy webhook was recorded. */
  touched = false
  readonly #ownPolicy: EarlyPolicy | null
  #policy: EarlyPolicy | null = null

  constructor(webhookId: number, row: HealthRow | undefined) {
    this.webhookId = webhookId
    this.workspaceId = row?.workspace_id ?? 0
    this.#canceledThrough = row?.canceled_through ?? 0
    this.canceledAt = row?.canceled_at ?? null
    // A webhook that is gone is treated like one that is off: its late results change nothing.
    const on = row !== undefined && row.status !== 'off' && row.deleted_at === null
    this.health = { on, failingSince: row?.failing_since ?? null, warned: Boolean(row?.warned) }
    const { alert_reason: reason = null, alerted_at: at = null } = row ?? {}
    this.early = { failures: row?.failures ?? 0, alert: reason === null ? null : { reason, at: at! } }
    this.snoozedUntil = row?.snoozed_until ?? null
    this.recoveredAt = row?.recovered_at ?? null
    this.#ownPolicy = row?.warn == null ? null : (JSON.parse(row.warn) as EarlyPolicy)
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

  accept(change: HealthChange, result: AttemptToRecord, params: WeighParams): void {
    this.touched = true
    if (this.health.on && change.off === null) this.#acceptEarly(change, result, params)
    const { failingSince, warned } = this.health
    if (change.off !== null || change.health.failingSince !== failingSince || change.health.warned !== warned)
      this.changed = true
    this.health = change.health
    this.off ??= change.off
    // A webhook that received again within this same call needs no warning.
    this.warn = change.health.warned && (this.warn || change.warn)
  }

  #acceptEarly(
    { health }: HealthChange,
    { signal, healthPolicy }: AttemptToRecord,
    params: WeighParams,
  ): void {
    const { now } = params
    this.#policy = this.#ownPolicy ?? params.healthPolicies[healthPolicy]!.early
    const policy = this.#policy
    const muted = this.#mutedAt(now)
    const failingForMs = health.failingSince === null ? 0 : openFor(health.failingSince, params)
    const { failingSince } = this.health
    this.#turnTo(
      applyEarly({ state: this.early, signal, policy, muted, failingForMs, now }),
      failingSince,
      now,
    )
  }

  #turnTo({ state, turn }: EarlyChange, failingSince: number | null, now: number): void {
    if (state !== this.early) this.changed = true
    if (turn === 'recovered') {
      this.failedSince = failingSince ?? this.early.alert!.at
      this.recoveredAt = now
      // No alert for failures that began and ended within this call.
      this.turn = this.turn === 'failing' ? null : 'recovered'
    } else if (turn === 'failing') this.turn = 'failing'
    this.early = state
  }

  #mutedAt(now: number): boolean {
    return this.snoozedUntil !== null && now < this.snoozedUntil
  }

  /** Whether the share of failed deliveries may make a difference now. */
  asksForShare(now: number): boolean {
    const { alert } = this.early
    if (!this.health.on) return false
    if (alert !== null) return alert.reason === 'share'
    return this.#policy?.share != null && this.failures.length > 0 && !this.#mutedAt(now)
  }

  /** How long after the first failure the share is looked at. */
  get shareAfterMs(): number {
    return this.#policy?.afterMs ?? 0
  }

  weighShare(share: Share, params: Omit<WeighParams, 'healthPolicies' | 'failingFrom'>): void {
    const { now } = params
    const { firstFailureAt } = share
    const failedForMs = firstFailureAt === null ? 0 : openFor(firstFailureAt, params)
    const change = weighShare({ state: this.early, share, policy: this.#policy, failedForMs, now })
    if (change.turn === 'failing') this.share = share
    this.#turnTo(change, this.health.failingSince, now)
  }

  /** A failed attempt that was recorded. @param after the resulting state of its delivery */
  failed(result: AttemptToRecord, after: After['status']): void {
    this.failures.push(result)
    if (this.failures.length > FAILURES_KEPT) this.failures.shift()
    if ((after !== 'failed' && after !== 'dead') || result.attempt.trigger === 'redeliver') return
    this.exhausted++
    if (this.exhaustedFirst.length < EXHAUSTED_KEPT) this.exhaustedFirst.push(result)
  }

  /** Whether a success leaves this as it is, which is what nearly every result finds. */
  get steady(): boolean {
    return this.health.failingSince === null && !this.health.warned && this.early.alert === null
  }
}

/** For how long it has been so, in time that counts. */
const openFor = (
  since: number,
  { now, steadySince, outages }: Pick<WeighParams, 'now' | 'steadySince' | 'outages'>,
): number => timeOpen(Math.max(since, steadySince ?? Number.NEGATIVE_INFINITY), now, outages)

/** Writes the effects of a call's results on webhooks. The caller excludes publishes to webhooks that are disabled. */
export function* settleHealth(
  webhooks: readonly HealthInCall[],
  params: Omit<WeighParams, 'healthPolicies' | 'failingFrom'>,
): Work<Omit<RecordResult, 'lost'>> {
  const { now } = params
  const touched = webhooks.filter((webhook) => webhook.touched)
  // Nearly every call.
  if (touched.length === 0) return { disabled: [], notifications: [] }
  yield* weighShares(touched, params)
  const changed = touched.filter((webhook) => webhook.changed)
  yield* save(changed, now)
  const disabled: RecordResult['disabled'][number][] = []
  const notifications: Notification[] = []
  const workspaceIds = new Set<number>()
  for (const { webhookId, workspaceId, off, warn, failures } of changed) {
    if (off !== null) {
      disabled.push({ webhookId, reason: off })
      workspaceIds.add(workspaceId)
      notifications.push(yield* addNotification('webhook_off', webhookId, failures, now))
      yield* auditDisabled(webhookId, off, now)
    } else if (warn) notifications.push(yield* addNotification('webhook_failing', webhookId, failures, now))
  }
  if (disabled.length > 0) {
    yield* callDriver('matchingChanged', [...workspaceIds])
    yield* cancel(
      disabled.map(({ webhookId }) => webhookId),
      now,
    )
  }
  yield* addAlerts(touched, now)
  return { disabled, notifications }
}

/**
 * Looks at shares of failed deliveries: of a webhook a while after its first failure, and then once a minute. One that is left out
 * here is looked at with its next result.
 */
function* weighShares(
  webhooks: readonly HealthInCall[],
  params: Omit<WeighParams, 'healthPolicies' | 'failingFrom'>,
): Work<void> {
  const { now } = params
  const asking = webhooks.filter((webhook) => webhook.asksForShare(now))
  if (asking.length === 0) return
  const { shareChecks } = yield* callDriver('memory')
  let checks = 0
  for (const webhook of asking) {
    const { webhookId, health, early, shareAfterMs } = webhook
    const first = early.alert === null ? (health.failingSince ?? now) + shareAfterMs : now
    // A check that is due much later was scheduled by a clock that was ahead.
    const dueAt = Math.min(shareChecks.get(webhookId) ?? first, now + shareAfterMs)
    if (now < dueAt) shareChecks.set(webhookId, dueAt)
    else if (checks++ < MAX_SHARES) {
      shareChecks.set(webhookId, now + SHARE_EVERY_MS)
      webhook.weighShare(yield* readShare(webhook, now), params)
    }
  }
}

function* save(webhooks: readonly HealthInCall[], now: number): Work<void> {
  const on = webhooks
    .filter(({ off }) => off === null)
    .map(({ webhookId: id, health, early, recoveredAt }) => ({
      id,
      failing_since: health.failingSince,
      warned: health.warned ? 1 : 0,
      failures: early.failures,
      alert_reason: early.alert?.reason ?? null,
      alerted_at: early.alert?.at ?? null,
      recovered_at: recoveredAt,
    }))
  const off = webhooks.filter((webhook) => webhook.off !== null)
  yield* all(
    on.length === 0 ? nothing() : run(healthSql.save, [records(on)]),
    ...off.map(({ webhookId, health, off }) =>
      run(healthSql.disable, [webhookId, off, health.failingSince, health.warned, now]),
    ),
  )
}
