/** What an attempt means for its webhook. `gone` is a 410; a test means nothing. */
export type HealthSignal = 'success' | 'failure' | 'gone' | 'none'

/** When owners are warned of a failing webhook, long before it is disabled. */
export interface EarlyPolicy {
  /** Failed attempts in a row; `null`: no limit. */
  readonly failures: number | null
  /** Share of failed deliveries within the last hour; `null`: no limit. */
  readonly share: number | null
  /** The share counts only if there were at least this many deliveries. */
  readonly deliveries: number
  /** Warned in any case this long after the first failure. */
  readonly afterMs: number
}

/** When failing attempts disable a webhook or warn its owners. */
export interface HealthPolicy {
  readonly goneDisables: boolean
  /** Disabled once failing for this long; `null`: never. */
  readonly disableAfterMs: number | null
  /** A warning goes out once failing for this long; `null`: never. */
  readonly warnAfterMs: number | null
  /** When owners are warned early; `null`: never. */
  readonly early: EarlyPolicy | null
}

export type OffReason = 'gone' | 'failing' | 'manual'

/** A time in which no node could send. Unix ms. */
export interface TimeClosed {
  readonly beganAt: number
  readonly endedAt: number
}

/** The part of a webhook that attempts change. */
export interface Health {
  /** False only when disabled; a paused webhook counts as on here. */
  readonly on: boolean
  /** Time of the first failed attempt since a success, its creation or being enabled; Unix ms. */
  readonly failingSince: number | null
  /** Whether the warning was sent since it began to fail. */
  readonly warned: boolean
}

export interface HealthChange {
  readonly health: Health
  /** Set when this attempt disables the webhook. */
  readonly off: Extract<OffReason, 'gone' | 'failing'> | null
  /** True when the warning is due now. */
  readonly warn: boolean
}

/** Whether an attempt disables its webhook immediately, however healthy it was. */
export function disablesImmediately(
  signal: HealthSignal,
  { goneDisables }: Pick<HealthPolicy, 'goneDisables'>,
): boolean {
  return signal === 'gone' && goneDisables
}

/**
 * Applies one attempt to a webhook's health. A disabled webhook keeps its state: late results must neither disable it again nor
 * hide since when it was failing.
 * @param failedAt when the attempt began, or when it is assumed to have begun, Unix ms
 * @param now Unix ms
 * @param steadySince Unix ms since when the clock has not jumped; time before it does not count as failing. Absent: always
 * @param outages when no node could send, which does not count as failing either; they do not overlap. Absent: never
 */
export function applySignal(params: {
  readonly health: Health
  readonly signal: HealthSignal
  readonly policy: HealthPolicy
  readonly failedAt: number
  readonly now: number
  readonly steadySince?: number | undefined
  readonly outages?: readonly TimeClosed[]
}): HealthChange {
  const {
    health,
    signal,
    policy,
    failedAt,
    now,
    steadySince = Number.NEGATIVE_INFINITY,
    outages = [],
  } = params
  if (!health.on || signal === 'none') return { health, off: null, warn: false }
  if (signal === 'success')
    return { health: { on: true, failingSince: null, warned: false }, off: null, warn: false }
  // A time in the future was written while the clock was ahead; it would delay the verdict until then.
  const known = health.failingSince !== null && health.failingSince <= now
  const failingSince = known ? health.failingSince : failedAt
  const failingForMs = timeOpen(Math.max(failingSince, steadySince), now, outages)
  const off = disablesImmediately(signal, policy)
    ? 'gone'
    : policy.disableAfterMs !== null && failingForMs >= policy.disableAfterMs
      ? 'failing'
      : null
  const warn =
    off === null && !health.warned && policy.warnAfterMs !== null && failingForMs >= policy.warnAfterMs
  return { health: { on: off === null, failingSince, warned: health.warned || warn }, off, warn }
}

/** @returns for how many ms between two times our network was up */
export function timeOpen(from: number, to: number, outages: readonly TimeClosed[]): number {
  let closedMs = 0
  for (const { beganAt, endedAt } of outages)
    closedMs += Math.max(0, Math.min(endedAt, to) - Math.max(beganAt, from))
  return to - from - closedMs
}
