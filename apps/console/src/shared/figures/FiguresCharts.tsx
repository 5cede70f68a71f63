import { SimpleGrid } from '@mantine/core'
import { useMemo } from 'react'
import type { Figures } from '../../model/figures.ts'
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
} from './figureSeries.ts'

const SYNC_KEY = 'figures'

const CHARTS = [
  {
    title: 'Deliveries',
    kind: 'bars',
    unit: 'count',
    content: deliveriesChart,
    note: 'Each counts once, by its latest result.',
  },
  { title: 'Success rate', kind: 'lines', unit: 'share', content: successChart },
  { title: 'Events', kind: 'bars', unit: 'count', content: eventsChart },
  { title: 'Attempts by outcome', kind: 'bars', unit: 'count', content: attemptsChart },
  {
    title: 'Response time',
    kind: 'lines',
    unit: 'duration',
    content: responseChart,
    note: 'How long attempts took, to within 3%.',
  },
  {
    title: 'Time to delivery',
    kind: 'lines',
    unit: 'duration',
    content: deliveryChart,
    note: 'From the event to the end of a first attempt that delivered, to within 8%.',
  },
] as const

/** What matters most, and what has the most to tell apart. */
const WIDE: readonly string[] = ['Deliveries', 'Attempts by outcome']

const QUEUE_CHARTS = [
  { title: 'Pending deliveries', kind: 'lines', unit: 'count', content: pendingChart },
  {
    title: 'Age of the oldest due delivery',
    kind: 'lines',
    unit: 'duration',
    content: overdueChart,
    note: 'Near 0: everything is sent as soon as it is due.',
  },
] as const

/** @param queue also how the queue of the whole store stood */
export function FiguresCharts({
  figures,
  queue = false,
  failedWord,
}: {
  readonly figures: Figures
  readonly queue?: boolean
  /** What the service calls deliveries that failed. */
  readonly failedWord: string
}) {
  const { step_s } = figures
  const times = useMemo(() => timesOf(figures), [figures])
  const charts = useMemo(() => {
    const shown = queue ? [...CHARTS, ...QUEUE_CHARTS] : CHARTS
    return shown.map(({ content, ...chart }) => ({ ...chart, ...content(figures, failedWord) }))
  }, [figures, queue, failedWord])
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
