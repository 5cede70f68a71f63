import { DAY_MS, MINUTE_MS } from './duration.ts'

/** Longest wait that a receiver may request. */
export const RETRY_AFTER_CAP_MS = DAY_MS

/** One response slows down all deliveries to a receiver for at most this long. */
export const SLOW_DOWN_CAP_MS = 5 * MINUTE_MS

const DELAY_SECONDS = /^\d{1,20}$/
const HTTP_DATE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/

/**
 * Reads a `Retry-After` header: delay-seconds or any of the three HTTP-date forms (RFC 9110, 10.2.3 and 5.6.7).
 * @returns the wait in milliseconds, 0 to 24 h; `null` for anything else
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null
  const text = value.trim()
  if (DELAY_SECONDS.test(text)) return Math.min(Number(text) * 1000, RETRY_AFTER_CAP_MS)
  if (!HTTP_DATE.test(text)) return null
  // asctime has no zone, and Date.parse would read it as local time.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  if (Number.isNaN(at)) return null
  return Math.min(Math.max(at - nowMs, 0), RETRY_AFTER_CAP_MS)
}

/**
 * Whether a receiver asks for a lower rate of all deliveries, and not only for a later attempt of this one.
 * @returns for how long, in milliseconds; 0: it does not
 */
export function slowDownMs(
  { statusCode, retryAfter }: { readonly statusCode: number | null; readonly retryAfter: string | null },
  nowMs: number,
): number {
  if (statusCode !== 429 && statusCode !== 503) return 0
  return Math.min(parseRetryAfter(retryAfter, nowMs) ?? 0, SLOW_DOWN_CAP_MS)
}
