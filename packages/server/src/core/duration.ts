export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const UNIT_MS: Record<string, number> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }
const DURATION = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/

const UNIT_WORDS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const

/** Formats a duration roughly, for people: `7 days`, `1 hour`, `45 seconds`. @param ms not negative */
export function durationInWords(ms: number): string {
  // 90 minutes are more exact than 2 hours.
  const unit = UNIT_WORDS.find(([, unitMs]) => ms >= 2 * unitMs || ms === unitMs)
  const [name, unitMs] = unit ?? UNIT_WORDS[3]
  const count = Math.round(ms / unitMs)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/**
 * Reads `15s`, `4.5m`, `24h`, `30d`, `250ms`.
 * @returns milliseconds, rounded; `null` when `text` is not a duration.
 */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim())
  return match === null ? null : Math.round(Number(match[1]) * UNIT_MS[match[2]!]!)
}
