import type { Dialect } from '../../core/dialect.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { LimitState } from '../../storage/storage.ts'

/** Name of the limit in the structured fields. */
const POLICY = '"manual-sends"'

/**
 * How much is left of the limit on tests and redeliveries: in the fields of the current draft
 * (draft-ietf-httpapi-ratelimit-headers), and in the three of its earlier editions, which most clients read.
 */
export function rateLimitHeaders({ limits }: Dialect, state: LimitState | null): Record<string, string> {
  const max = limits.manualSendsPerMinute
  if (max === null || state === null) return {}
  const resetSeconds = Math.ceil(state.resetMs / SECOND_MS)
  return {
    'ratelimit-policy': `${POLICY};q=${max};w=${MINUTE_MS / SECOND_MS}`,
    ratelimit: `${POLICY};r=${state.remaining};t=${resetSeconds}`,
    'ratelimit-limit': String(max),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(resetSeconds),
  }
}
