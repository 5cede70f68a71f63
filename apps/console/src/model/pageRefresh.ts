// Refresh intervals of a webhook's page.

import type { Delivery } from './delivery.ts'

const USUAL_MS = 5_000
/** While an action is in progress. */
const WATCHED_MS = 2_000
const LEAST_MS = 1_000
/** Deliveries due for longer wait for a limit or a paused webhook. */
const SOON_SENT_MS = 60_000
/** Margin for clock differences with the service. */
const AFTER_MS = 200

interface SummaryFacts {
  readonly retry: { readonly status: string } | null
  readonly manual_sends: { readonly resets_at: string | null } | null
}

/** Refresh interval of the summary. @param summary `undefined`: not read yet @param now Unix ms */
export function summaryEveryMs(summary: SummaryFacts | undefined, now: number): number {
  const usual = summary?.retry?.status === 'running' ? WATCHED_MS : USUAL_MS
  const resetsAt = summary?.manual_sends?.resets_at ?? null
  if (resetsAt === null) return usual
  return Math.min(usual, Math.max(LEAST_MS, Date.parse(resetsAt) - now + AFTER_MS))
}

/** Refresh interval of the deliveries. @param now Unix ms */
export function deliveriesEveryMs(rows: readonly Pick<Delivery, 'nextAttemptAt'>[], now: number): number {
  const isDue = ({ nextAttemptAt: at }: Pick<Delivery, 'nextAttemptAt'>) => {
    const dueMs = at === null ? -1 : now - Date.parse(at)
    return dueMs >= 0 && dueMs < SOON_SENT_MS
  }
  return rows.some(isDue) ? WATCHED_MS : USUAL_MS
}

/** @returns a text that changes when a delivery is added, removed, attempted or finished */
export const stateOfRows = (rows: readonly Pick<Delivery, 'id' | 'status' | 'attempts'>[]): string =>
  rows.map(({ id, status, attempts }) => `${id} ${status} ${attempts.at(-1)?.number ?? 0}`).join()
