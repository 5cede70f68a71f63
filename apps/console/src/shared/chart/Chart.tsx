import { Anchor, Card, Group, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, lazy, Suspense, useCallback, useId, useState } from 'react'
import { OnceSeen } from '../OnceSeen.tsx'
import { fullTime } from '../time.ts'
import { ChartLegend } from './ChartLegend.tsx'
import { ChartTable } from './ChartTable.tsx'
import type { Series, Unit } from './series.ts'
import { valueText } from './series.ts'

const Plot = lazy(() => import('./Plot.tsx'))
const HEIGHT_PX = 180

export interface ChartProps {
  readonly title: string
  /** `bars` are stacked; the first series is at the bottom. */
  readonly kind: 'bars' | 'lines'
  /** Counts, milliseconds, or shares from 0 to 1. */
  readonly unit: Unit
  /** Start of each time bucket, Unix ms, oldest first. */
  readonly times: readonly number[]
  /** Duration of a bucket, in milliseconds. */
  readonly stepMs: number
  /** Memoize the array (useMemo): another array redraws the chart. */
  readonly series: readonly Series[]
  /** Text alternative of the chart, in one sentence. */
  readonly summary: string
  /** Text below the title; the summary by default. */
  readonly note?: string
  /** Charts with the same key show the same bucket when one of them is hovered. */
  readonly syncKey?: string
}

/**
 * A chart over time: bars for counts, lines for percentiles and shares. Unknown values are gaps. Hover, touch or the arrow
 * keys show the values of one bucket, and "Show as table" lists all of them. The plotting library is loaded with the first
 * chart.
 *
 * ```tsx
 * <Chart title="Events" kind="bars" unit="count" times={times} stepMs={60_000} summary="12 events in an hour, most at 10:05."
 *   series={[{ label: 'Events', color: 'chart-blue', values: [0, 3, null] }]} />
 * ```
 */
export function Chart(props: ChartProps) {
  const { title, kind, unit, times, stepMs, series, summary, note, syncKey = title } = props
  const [asTable, setAsTable] = useState(false)
  const [moment, setMoment] = useState<number | null>(null)
  const titleId = useId()
  const summaryId = useId()
  const onMoment = useCallback((place: number | null) => setMoment(place), [])
  const at = moment === null ? null : (times[moment] ?? null)
  return (
    <Card withBorder padding="md" component="section" aria-labelledby={titleId}>
      <Stack gap="xs">
        <Group justify="space-between" align="baseline" wrap="nowrap" gap="sm">
          <Title order={2} size="h3" id={titleId}>
            {title}
          </Title>
          <Anchor
            component="button"
            type="button"
            size="xs"
            style={{ flex: 'none' }}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Show as chart' : 'Show as table'}
            <VisuallyHidden>: {title}</VisuallyHidden>
          </Anchor>
        </Group>
        {/* One line for both texts, so that the layout does not shift. */}
        <Text size="xs" c="dimmed" mih={18} className="ph-numbers">
          {at === null ? (note ?? summary) : momentText(at, stepMs)}
        </Text>
        <VisuallyHidden id={summaryId}>{summary}</VisuallyHidden>
        {asTable ? (
          <ChartTable title={title} unit={unit} times={times} series={series} height={HEIGHT_PX + 40} />
        ) : (
          <>
            <ChartLegend series={series} kind={kind} unit={unit} moment={at === null ? null : moment} />
            <div
              role="slider"
              tabIndex={0}
              aria-label={`${title}: time to show`}
              aria-describedby={summaryId}
              aria-valuemin={0}
              aria-valuemax={Math.max(0, times.length - 1)}
              aria-valuenow={moment ?? 0}
              aria-valuetext={at === null ? summary : readOut(at, moment!, props)}
              onKeyDown={(event) => setMoment(keyMove(event, moment, times.length))}
              onBlur={() => setMoment(null)}
            >
              <OnceSeen height={HEIGHT_PX}>
                <Suspense fallback={<Skeleton height={HEIGHT_PX} role="status" aria-label="Loading" />}>
                  <Plot
                    {...{ kind, unit, times, stepMs, series, syncKey, moment, onMoment }}
                    height={HEIGHT_PX}
                  />
                </Suspense>
              </OnceSeen>
            </div>
          </>
        )}
      </Stack>
    </Card>
  )
}

const DAY_MS = 86_400_000

/** Buckets of a day are UTC days, and show only the date. */
const momentText = (at: number, stepMs: number) =>
  stepMs >= DAY_MS
    ? `${new Date(at).toISOString().slice(0, 10)} (UTC)`
    : `From ${fullTime(new Date(at).toISOString())}`

const readOut = (at: number, moment: number, { series, unit, stepMs }: ChartProps) =>
  `${momentText(at, stepMs)}: ${series.map(({ label, values }) => `${label} ${valueText(values[moment] ?? null, unit)}`).join(', ')}`

/** The arrow keys move by one bucket, Home and End to the first and last. */
function keyMove(event: KeyboardEvent, moment: number | null, length: number): number | null {
  const last = length - 1
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, (moment ?? length) - 1),
    ArrowRight: Math.min(last, (moment ?? last - 1) + 1),
    Home: 0,
    End: last,
  }
  const to = moves[event.key]
  if (to === undefined || length === 0) return event.key === 'Escape' ? null : moment
  event.preventDefault()
  return to
}
