import { counted } from './numbers.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Duration in words: "24 hours", "30 days", "90 minutes", "2.5 days". */
export function spanText(seconds: number): string {
  // A single unit uses the smaller one: "24 hours" instead of "1 day".
  const [unit, size] = UNITS.find(([, inSeconds]) => seconds >= 2 * inSeconds) ?? ['second', 1]
  return counted(Math.round((seconds / size) * 10) / 10, unit)
}
