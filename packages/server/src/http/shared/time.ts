import { FORMS } from '../../core/textForms.ts'

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/i

// Outside of these, a time is a unit mix-up (seconds for milliseconds) or a default of some library.
const EARLIEST_YEAR = 2000
const LATEST_YEAR = 2099

export const TIME_MESSAGE = `must be ${FORMS.instant.allowed}`

/**
 * Reads an RFC 3339 time. `Date.parse` would also take times without a zone, other formats and 30 February.
 * @returns Unix ms, further digits cut off; `null` when the text is not such a time, or of no year anyone means
 */
export function parseTime(text: string): number | null {
  const match = RFC_3339.exec(text)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Parts
  const dayStart = Date.UTC(year, month - 1, day)
  const isDay = new Date(dayStart).getUTCMonth() === month - 1 && day > 0
  const offsetMinutes = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)
  const isClock =
    hour < 24 && minute < 60 && second < 60 && Number(match[9] ?? 0) < 24 && Number(match[10] ?? 0) < 60
  if (!isDay || !isClock || year < EARLIEST_YEAR || year > LATEST_YEAR) return null
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const local = dayStart + ((hour * 60 + minute) * 60 + second) * 1000 + ms
  return local - (match[8] === '-' ? -offsetMinutes : offsetMinutes) * 60_000
}

type Parts = [year: number, month: number, day: number, hour: number, minute: number, second: number]

/** ISO 8601, UTC, with milliseconds. */
export const isoTime = (ms: number) => new Date(ms).toISOString()
export const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms))
