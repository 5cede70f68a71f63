import { counted } from './numbers.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long a rule of the service says, in words: "24 hours", "30 days", "90 minutes", "2.5 days". */
export function spanText(seconds: number): string {
  // One of a unit is told by the smaller one, in which such rules are mostly thought of.
  const [unit, size] = UNITS.find(([, inSeconds]) => seconds >= 2 * inSeconds) ?? ['second', 1]
  return counted(Math.round((seconds / size) * 10) / 10, unit)
}
