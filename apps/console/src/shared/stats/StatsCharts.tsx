import { SimpleGrid } from '@mantine/core'
import { useMemo } from 'react'
import type { Stats } from '../../model/stats.ts'
import { Chart } from '../chart/Chart.tsx'
import {
  attemptsChart,
  deliveriesChart,
  deliveryChart,
  eventsChart,
  overdueChart,
  pendingChart,
  responseChart,
  successChart,
  timesOf,
} from './statsSeries.ts'

const SYNC_KEY = 'stats'

const CHARTS = [
  {
    title: 'Deliveries',
    kind: 'bars',
    unit: 'count',
    content: deliveriesChart,
    note: 'Each delivery counts once, by its latest result.',
  },
  { title: 'Success rate', kind: 'lines', unit: 'share', content: successChart },
  { title: 'Events', kind: 'bars', unit: 'count', content: eventsChart },
  { title: 'Attempts by outcome', kind: 'bars', unit: 'count', content: attemptsChart },
  {
    title: 'Response time',
    kind: 'lines',
    unit: 'duration',
    content: responseChart,
    note: 'Duration of attempts, accurate to 3%.',
  },
  {
    title: 'Time to delivery',
    kind: 'lines',
    unit: 'duration',
    content: deliveryChart,
    note: 'From the event to the end of a successful first attempt, accurate to 8%.',
  },
] as const

/** Charts that span both columns. */
const WIDE: readonly string[] = ['Deliveries', 'Attempts by outcome']

const QUEUE_CHARTS = [
  { title: 'Pending deliveries', kind: 'lines', unit: 'count', content: pendingChart },
  {
    title: 'Age of the oldest due delivery',
    kind: 'lines',
    unit: 'duration',
    content: overdueChart,
    note: 'Near 0: deliveries are sent as soon as they are due.',
  },
] as const

/** @param queue whether to include the queue of the whole store */
export function StatsCharts({
  stats,
  queue = false,
  failedWord,
}: {
  readonly stats: Stats
  readonly queue?: boolean
  /** The service's word for failed deliveries. */
  readonly failedWord: string
}) {
  const { step_s } = stats
  const times = useMemo(() => timesOf(stats), [stats])
  const charts = useMemo(() => {
    const shown = queue ? [...CHARTS, ...QUEUE_CHARTS] : CHARTS
    return shown.map(({ content, ...chart }) => ({ ...chart, ...content(stats, failedWord) }))
  }, [stats, queue, failedWord])
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
      {charts.map((chart) => (
        <div key={chart.title} style={WIDE.includes(chart.title) ? { gridColumn: '1 / -1' } : {}}>
          <Chart {...chart} times={times} stepMs={step_s * 1_000} syncKey={SYNC_KEY} />
        </div>
      ))}
    </SimpleGrid>
  )
}
