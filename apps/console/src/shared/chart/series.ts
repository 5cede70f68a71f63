import { countText, shareText } from '../../model/numbers.ts'
import { durationText } from '../time.ts'

/** A count, a duration in milliseconds, or a share from 0 to 1. */
export type Unit = 'count' | 'duration' | 'share'

/** A color of `app/colors.ts` without `--ph-`. */
export type ChartColor =
  | 'good'
  | 'bad'
  | 'wait'
  | 'chart-blue'
  | 'chart-violet'
  | 'chart-teal'
  | 'chart-pink'
  | 'chart-orange'
  | 'chart-brown'
  | 'chart-cyan'
  | 'chart-gray'

export interface Series {
  readonly label: string
  readonly color: ChartColor
  /** One value per bucket; `null`: unknown, shown as a gap. */
  readonly values: readonly (number | null)[]
  /** Distinguishes lines in addition to color. */
  readonly dash?: 'solid' | 'dashed' | 'dotted'
}

const few = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** "1,204", "3 min 5 s", "99.2%". */
export function valueText(value: number | null, unit: Unit): string {
  if (value === null) return '–'
  if (unit === 'duration') return durationText(value)
  return unit === 'share' ? shareText(value) : countText(value)
}

/** Like {@link valueText}, shortened for an axis. */
export const axisText = (value: number, unit: Unit): string =>
  unit === 'count' || value === 0 ? few.format(value) : valueText(value, unit)

/**
 * Cumulative values of stacked bars: each series plus all before it. Buckets without a known value stay `null`.
 */
export function stacked(series: readonly Series[]): readonly (readonly (number | null)[])[] {
  let below: readonly (number | null)[] | null = null
  return series.map(({ values }) => {
    const base = below
    const sums = values.map((value, at) => {
      const under = base === null ? null : (base[at] ?? null)
      return value === null && under === null ? null : (value ?? 0) + (under ?? 0)
    })
    below = sums
    return sums
  })
}

/** Indexes of values between two unknown ones: no line reaches them, so they need a dot. */
export function lonePlaces(values: readonly (number | null | undefined)[]): number[] {
  const known = (at: number) => values[at] !== null && values[at] !== undefined
  return values.flatMap((_, at) => (known(at) && !known(at - 1) && !known(at + 1) ? [at] : []))
}

/** Indexes of the buckets with a value other than 0, which are the rows of the chart's table. */
export const tellingPlaces = (series: readonly Series[]): number[] =>
  (series[0]?.values ?? []).flatMap((_, at) =>
    series.some(({ values }) => (values[at] ?? 0) !== 0) ? [at] : [],
  )
