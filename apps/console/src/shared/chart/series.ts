import { countText, shareText } from '../../model/numbers.ts'
import { durationText } from '../time.ts'

/** What the values of a chart are: how many, a time in milliseconds, or a share from 0 to 1. */
export type Unit = 'count' | 'duration' | 'share'

/** The name of a color of `app/colors.ts` without its `--ph-`, so that it follows light and dark. */
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
  /** One for each time; `null`: nothing is known of it, and the chart has a gap there. */
  readonly values: readonly (number | null)[]
  /** Tells lines apart besides their color. */
  readonly dash?: 'solid' | 'dashed' | 'dotted'
}

const few = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** "1,204", "3 min 5 s", "99.2%". */
export function valueText(value: number | null, unit: Unit): string {
  if (value === null) return '–'
  if (unit === 'duration') return durationText(value)
  return unit === 'share' ? shareText(value) : countText(value)
}

/** Like {@link valueText}, as short as beside an axis. */
export const axisText = (value: number, unit: Unit): string =>
  unit === 'count' || value === 0 ? few.format(value) : valueText(value, unit)

/**
 * What bars that stand on each other reach up to: each series with all before it. A time at which all are unknown stays
 * unknown.
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

/** Places of values between two unknown ones: no line leads to them, so they need a dot. */
export function lonePlaces(values: readonly (number | null | undefined)[]): number[] {
  const known = (at: number) => values[at] !== null && values[at] !== undefined
  return values.flatMap((_, at) => (known(at) && !known(at - 1) && !known(at + 1) ? [at] : []))
}

/** Rows of the table of a chart: those that say anything. @returns places in the series */
export const tellingPlaces = (series: readonly Series[]): number[] =>
  (series[0]?.values ?? []).flatMap((_, at) =>
    series.some(({ values }) => (values[at] ?? 0) !== 0) ? [at] : [],
  )
