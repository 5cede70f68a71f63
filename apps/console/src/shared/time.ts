// Times are shown in the viewer's time zone and language, with UTC on hover.

const DAY_MS = 86_400_000

const inZone = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const toTheMinute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const timeOnly = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** Date and time in the viewer's time zone. @param at ISO 8601 */
export const fullTime = (at: string): string => inZone.format(new Date(at))
/** The same without seconds. */
export const minuteTime = (at: string): string => toTheMinute.format(new Date(at))
export const utcTime = (at: string): string => `${at.replace('T', ' ').replace('Z', '')} UTC`

/** Only the time within 20 hours, otherwise the date and time. @param now Unix ms */
export function shortTime(at: string, now: number): string {
  const date = new Date(at)
  return Math.abs(now - date.getTime()) < DAY_MS * (5 / 6) ? timeOnly.format(date) : dayAndTime.format(date)
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

const SLACK_MS = 15_000

/** "3 minutes ago". @param now Unix ms */
export function relativeTime(at: string, now: number): string {
  const difference = new Date(at).getTime() - now
  // `now` is updated every few seconds, so recent times can be ahead of it.
  if (difference > 0 && difference < SLACK_MS) return 'just now'
  for (const [unit, ms] of UNITS) {
    if (Math.abs(difference) >= ms) return relative.format(Math.trunc(difference / ms), unit)
  }
  return 'just now'
}

/** "250 ms", "1.4 s", "3 min 5 s", "2 h 10 min", "3 d 4 h". */
export function durationText(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1_440) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(minutes / 60)
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** In whole seconds: "3 s", "2 min 5 s". */
export function secondsText(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1_000)
}

/** Precision of an estimate. */
const GRAIN_MS = 10_000

/** Estimated remaining time: "in 20 s", "within seconds". @param at ISO 8601 @param now Unix ms */
export function estimateText(at: string, now: number): string {
  const left = Date.parse(at) - now
  if (left <= GRAIN_MS / 2) return 'within seconds'
  return `in ${secondsText(left < 60_000 ? Math.ceil(left / GRAIN_MS) * GRAIN_MS : left)}`
}

const two = (first: number, unit: string, rest: number, restUnit: string) =>
  rest === 0 ? `${first} ${unit}` : `${first} ${unit} ${rest} ${restUnit}`
