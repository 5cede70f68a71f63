const HOUR_S = 3_600
const DAY_S = 86_400

/**
 * Labels of a time axis: the time of day, or the date at midnight.
 * @param splits Unix seconds @param stepS seconds between two labels @param timeZone by default the viewer's
 */
export function axisTimes(splits: readonly number[], stepS: number, timeZone?: string): string[] {
  const zone = timeZone === undefined ? {} : { timeZone }
  const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...zone })
  const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', ...zone })
  const wall = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...zone })
  return splits.map((split) => {
    const date = new Date(split * 1_000)
    return stepS >= DAY_S || wall.format(date) === '00:00' ? day.format(date) : time.format(date)
  })
}

const DURATION_STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 6, 12, 24, 48, 120, 240].map((hours) => hours * HOUR_S * 1_000),
]

const SHARE_STEPS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1]

const COUNT_STEPS = Array.from({ length: 12 }, (_, power) => 10 ** power).flatMap((ten) => [
  ten,
  2 * ten,
  5 * ten,
])

/** Allowed distances between the labels of a value axis: round numbers. */
export const VALUE_STEPS = { count: COUNT_STEPS, duration: DURATION_STEPS_MS, share: SHARE_STEPS } as const
