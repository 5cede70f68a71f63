import { HOUR_MS, MINUTE_MS } from './duration.ts'
import type { EarlyPolicy, HealthSignal } from './health.ts'

/** No warning is sent sooner after the first failure: failures that end within minutes need no action. */
export const LEAST_AFTER_MS = 10 * MINUTE_MS
export const MOST_AFTER_MS = 24 * HOUR_MS
export const MOST_FAILURES = 1_000
export const MOST_DELIVERIES = 500
/** The deliveries that the share is computed from. */
export const SHARE_OF_MS = HOUR_MS

/** Why a webhook counts as failing. */
export type AlertReason = 'failures' | 'share'

/** The part of a webhook's health that early warnings depend on. */
export interface EarlyState {
  /** Failed attempts in a row, counted up to the number in the policy. */
  readonly failures: number
  /** `null`: it does not count as failing. */
  readonly alert: { readonly reason: AlertReason; readonly at: number } | null
}

export interface EarlyChange {
  readonly state: EarlyState
  /** Whether it starts or stops counting as failing. */
  readonly turn: 'failing' | 'recovered' | null
}

/**
 * Applies one attempt of a webhook that is on.
 * @param failingForMs for how long it has been failing without a success; for a failed attempt
 * @param policy `null`: there are no early warnings
 * @param muted whether warnings are snoozed or turned off now
 */
export function applyEarly(params: {
  readonly state: EarlyState
  readonly signal: HealthSignal
  readonly policy: EarlyPolicy | null
  readonly muted: boolean
  readonly failingForMs: number
  readonly now: number
}): EarlyChange {
  const { state, signal, policy, muted, failingForMs, now } = params
  const { alert } = state
  if (signal === 'none') return { state, turn: null }
  if (signal === 'success') {
    // One success among failures does not end a share: see `weighShare`.
    const over = alert?.reason === 'failures'
    if (state.failures === 0 && !over) return { state, turn: null }
    return { state: { failures: 0, alert: over ? null : alert }, turn: over ? 'recovered' : null }
  }
  const most = policy?.failures ?? null
  const failures = most === null || state.failures >= most ? state.failures : state.failures + 1
  const due = !muted && most !== null && failures >= most && failingForMs >= policy!.afterMs
  if (alert !== null || !due)
    return { state: failures === state.failures ? state : { failures, alert }, turn: null }
  return { state: { failures, alert: { reason: 'failures', at: now } }, turn: 'failing' }
}

/** Attempted deliveries of the last hour; if there are many, only the newest. */
export interface Share {
  readonly tried: number
  /** How many of them have not arrived. */
  readonly failed: number
  /** Time of the first failure among these; `null`: none failed. */
  readonly firstFailureAt: number | null
}

/**
 * Applies the share of failed deliveries.
 * @param failedForMs how long ago the first of them failed
 */
export function weighShare(params: {
  readonly state: EarlyState
  readonly share: Share
  readonly policy: EarlyPolicy | null
  readonly failedForMs: number
  readonly now: number
}): EarlyChange {
  const { state, share, policy, failedForMs, now } = params
  const { alert, failures } = state
  const isHigh =
    policy !== null && policy.share !== null && share.failed > 0 && share.failed >= policy.share * share.tried
  if (alert !== null)
    return alert.reason === 'share' && !isHigh
      ? { state: { failures, alert: null }, turn: 'recovered' }
      : { state, turn: null }
  if (!isHigh || share.tried < policy.deliveries || failedForMs < policy.afterMs) return { state, turn: null }
  return { state: { failures, alert: { reason: 'share', at: now } }, turn: 'failing' }
}
