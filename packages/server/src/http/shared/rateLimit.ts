import type { Dialect } from '../../core/dialect.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { Profile } from '../../profiles/profile.ts'
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

const LISTS = new Intl.ListFormat('en-GB')

const MANUAL_SENDS = {
  test: 'tests',
  redeliver: 'redeliveries',
  replay: 'replays',
  retry: 'retries',
  recover: 'recoveries',
} as const satisfies Partial<Record<keyof Profile['operations'], string>>

/** What shares the limit of sends that people ask for: `Tests and redeliveries`. */
export function manualSendsText({ operations }: Pick<Profile, 'operations'>): string {
  const names = Object.entries(MANUAL_SENDS) as [keyof typeof MANUAL_SENDS, string][]
  const shared = names.filter(([name]) => operations[name] !== null).map(([, many]) => many)
  const text = LISTS.format(shared)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
