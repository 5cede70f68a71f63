/** Waits between attempts double, from the first to the longest. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
/** The longest wait before a retry. If the service asks for more, the error is thrown instead. */
const LONGEST_RETRY_AFTER_SECONDS = 60

/**
 * Statuses after which a retry may succeed. 408 means that the body arrived too slowly. 502 and 504 come from a proxy and are
 * like a broken connection and a timeout. A 409 is one only while the first request under the Idempotency-Key is still running.
 */
const PASSING_STATUSES: readonly number[] = [408, 429, 502, 503, 504]
export const PASSING_CONFLICT = 'idempotency_key_in_use'

export const isPassing = (status: number) => PASSING_STATUSES.includes(status)

/** Reads change nothing, and a POST carries an Idempotency-Key. A repeated PATCH or DELETE could undo another client's change. */
export const isRepeatable = (method: string) => ['GET', 'HEAD', 'POST'].includes(method)

interface Failure {
  /** How many attempts failed before this one. */
  readonly earlier: number
  readonly retryAfterSeconds: number | null
  /** From 0 up to 1. */
  readonly random: number
}

/** @returns how long to wait before the next attempt, at least as long as the service asks; `null`: that is too long */
export function retryWaitMs({ earlier, retryAfterSeconds: asked, random }: Failure): number | null {
  if (asked !== null && asked > LONGEST_RETRY_AFTER_SECONDS) return null
  const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** earlier, LONGEST_WAIT_MS)
  // Spreads the retries of callers that failed together.
  return asked === null ? backoffMs * (0.5 + random / 2) : asked * 1_000 + (backoffMs * random) / 2
}

/** Reads `Retry-After`: seconds, or a date as proxies may send. @param now Unix ms */
export function retryAfterSeconds(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value)
  // Every HTTP date begins with the name of a day; `Date.parse` takes much else.
  const at = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000))
}
