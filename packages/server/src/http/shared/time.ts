const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/i

// Outside of these, a time is a unit mix-up (seconds for milliseconds) or a default of some library.
const EARLIEST = Date.UTC(2000, 0, 1)
const LATEST = Date.UTC(2100, 0, 1)

export const TIME_MESSAGE =
  'must be a time of the years 2000 to 2099 in RFC 3339, such as 2026-03-14T09:26:53.589Z or with an offset +01:00'

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
  if (!isDay || !isClock) return null
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const local = dayStart + ((hour * 60 + minute) * 60 + second) * 1000 + ms
  const utc = local - (match[8] === '-' ? -offsetMinutes : offsetMinutes) * 60_000
  return utc >= EARLIEST && utc < LATEST ? utc : null
}

type Parts = [year: number, month: number, day: number, hour: number, minute: number, second: number]

/** ISO 8601, UTC, with milliseconds. */
export const isoTime = (ms: number) => new Date(ms).toISOString()
export const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms))
