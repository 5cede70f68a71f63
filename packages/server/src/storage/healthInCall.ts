import { applySignal, type Health, type HealthChange } from '../core/health.ts'
import type { VerbParams } from './areas.ts'
import type { AttemptToRecord } from './storage.ts'

type RecordParams = VerbParams<'recordAttempts'>
type WeighParams = Pick<RecordParams, 'healthPolicies' | 'now' | 'steadySince' | 'failingFrom'>

export interface HealthRow {
  readonly workspace_id: number
  readonly status: 'on' | 'off' | 'paused'
  readonly deleted_at: number | null
  readonly failing_since: number | null
  readonly warned: boolean | 0 | 1
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
    { healthPolicies, now, steadySince, failingFrom }: WeighParams,
  ): HealthChange {
    const { signal, attempt } = result
    return applySignal({
      health: this.health,
      signal,
      policy: healthPolicies[result.healthPolicy]!,
      failedAt: Math.max(attempt.startedAt, failingFrom ?? Number.NEGATIVE_INFINITY),
      now,
      steadySince: steadySince ?? undefined,
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

  /** Whether a success leaves this as it is, which is what nearly every result finds. */
  get steady(): boolean {
    return this.health.failingSince === null && !this.health.warned
  }
}
