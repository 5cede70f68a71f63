import uPlot from 'uplot'
import { axisTimes, VALUE_STEPS } from './axisTimes.ts'
import { axisText, type ChartColor, lonePlaces, type Series, stacked, type Unit } from './series.ts'

const DASHES = { solid: [], dashed: [7, 4], dotted: [2, 3] } as const
/** Share of a bucket's width that a bar fills. */
const BAR_SHARE = 0.86
const BAR_MAX_PX = 40
/** Narrower bars have no gap between their parts. */
const BAR_WITH_SEAM_PX = 6
const AXIS_FONT = '11px Inter, ui-sans-serif, system-ui, sans-serif'

export interface PlotInput {
  readonly kind: 'bars' | 'lines'
  readonly unit: Unit
  /** Start of each bucket, Unix ms. */
  readonly times: readonly number[]
  readonly stepMs: number
  readonly series: readonly Series[]
  /** Charts with the same key show the same bucket when one of them is hovered. */
  readonly syncKey: string
  /** A color of the page in a form that a canvas accepts. */
  readonly colorOf: (name: ChartColor | 'border' | 'text' | 'card') => string
}

/** @param size in CSS pixels @param onMoment receives the index of the bucket under the pointer; `null`: none */
export function plotOptions(
  input: PlotInput,
  size: { readonly width: number; readonly height: number },
  onMoment: (place: number | null) => void,
): uPlot.Options {
  const { kind, unit, times, stepMs, colorOf, syncKey } = input
  const from = (times[0] ?? 0) / 1_000
  const to = ((times.at(-1) ?? 0) + stepMs) / 1_000
  const text = { stroke: colorOf('text'), font: AXIS_FONT }
  const seam = size.width / Math.max(1, times.length) < BAR_WITH_SEAM_PX ? 0 : 1
  const lines = { stroke: colorOf('border'), width: 1 }
  return {
    ...size,
    legend: { show: false },
    padding: [8, 28, 0, 0],
    cursor: {
      drag: { x: false, y: false },
      y: false,
      points: { show: kind === 'lines', size: 7 },
      sync: { key: syncKey, scales: ['x', null], setSeries: false },
    },
    scales: {
      x: { time: true, range: () => [from, to] },
      y: { range: (_, __, max) => [0, topOf(max, unit)] },
    },
    axes: [
      {
        ...text,
        grid: { show: false },
        ticks: { ...lines, size: 4 },
        size: 28,
        space: 64,
        values: (_, splits, __, ___, step) => axisTimes(splits, step),
      },
      {
        ...text,
        grid: lines,
        ticks: { show: false },
        size: (_, values) => 14 + 6.5 * Math.max(2, ...(values ?? []).map((value) => value.length)),
        space: 36,
        incrs: [...VALUE_STEPS[unit]],
        values: (_, splits) => splits.map((split) => axisText(split, unit)),
      },
    ],
    series: [
      {},
      ...drawn(input).map((one) => (kind === 'bars' ? bar(one, colorOf, seam) : line(one, colorOf))),
    ],
    hooks: { setCursor: [(plot) => onMoment(plot.cursor.idx ?? null)] },
  }
}

/** Uses the middle of each bucket, so that the nearest point to the pointer is the bucket under it. */
export function plotData(input: PlotInput): uPlot.AlignedData {
  const { kind, times, stepMs, series } = input
  const middle = times.map((at) => (at + stepMs / 2) / 1_000)
  const values = kind === 'bars' ? stacked(series).toReversed() : series.map((one) => one.values)
  return [middle, ...values.map((one) => [...one])]
}

/** Bars are drawn from the tallest to the shortest, each over the previous one. */
const drawn = ({ kind, series }: PlotInput) => (kind === 'bars' ? series.toReversed() : series)

/** Leaves room above the maximum, and gives empty charts an axis. */
function topOf(max: number | null, unit: Unit): number {
  if (unit === 'share') return 1
  return max === null || max <= 0 ? (unit === 'duration' ? 100 : 4) : max * 1.06
}

const bar = ({ color }: Series, colorOf: PlotInput['colorOf'], seam: number): uPlot.Series => ({
  fill: colorOf(color),
  // A gap separates the parts of a bar, so that color is not the only difference.
  stroke: colorOf('card'),
  width: seam,
  points: { show: false },
  paths: uPlot.paths.bars!({ size: [BAR_SHARE, BAR_MAX_PX] }),
})

const line = ({ color, dash = 'solid' }: Series, colorOf: PlotInput['colorOf']): uPlot.Series => ({
  stroke: colorOf(color),
  width: 1.75,
  dash: [...DASHES[dash]],
  points: {
    show: true,
    size: 5,
    fill: colorOf(color),
    filter: (plot, place) => lonePlaces(plot.data[place] as readonly (number | null)[]),
  },
})
