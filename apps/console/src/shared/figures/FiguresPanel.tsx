import { Group, Stack, Text } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { figuresQuery } from '../../api/figures.ts'
import { countAttempts, countEnded, type Figures, type FiguresScope } from '../../model/figures.ts'
import { periodName } from '../../model/periods.ts'
import { PeriodControl, usePeriod } from '../PeriodControl.tsx'
import { Empty, Failure, Loading } from '../states.tsx'
import { FiguresCharts } from './FiguresCharts.tsx'
import { FiguresTotals } from './FiguresTotals.tsx'

/**
 * Metrics of a selectable period: totals, and charts of throughput, success and durations. The route of the page needs
 * `validateSearch: periodSearch`.
 *
 * ```tsx
 * <FiguresPanel scope={{ of: 'webhook', ws: id, webhookId }} />
 * ```
 */
export function FiguresPanel({
  scope,
  failedWord = 'failed',
}: {
  readonly scope: FiguresScope
  /** The service's word for failed deliveries. */
  readonly failedWord?: string
}) {
  const period = usePeriod()
  const figures = useQuery(figuresQuery(scope, period))
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Metrics for the {periodName(period)}
        </Text>
        <PeriodControl />
      </Group>
      <Text size="sm" c="dimmed">
        Each delivery counts once, by its latest result. A delivery that failed and was delivered later counts
        as delivered. Its failed attempts still count as failed.
      </Text>
      {figures.isPending && <Loading />}
      {figures.isError && <Failure error={figures.error} retry={() => void figures.refetch()} />}
      {figures.data !== undefined && <Content figures={figures.data} scope={scope} failedWord={failedWord} />}
    </Stack>
  )
}

function Content({
  figures,
  scope,
  failedWord,
}: {
  readonly figures: Figures
  readonly scope: FiguresScope
  readonly failedWord: string
}) {
  const queue = scope.of === 'everything'
  const { events, attempts, deliveries } = figures.totals
  if (!queue && events === 0 && countAttempts(attempts) === 0 && countEnded(deliveries) === 0) {
    return (
      <Empty icon={<IconChartBar size={24} />} title={`No events in the ${periodName(figures.period)}`}>
        Metrics of events, deliveries and response times appear here once events are published.
      </Empty>
    )
  }
  return (
    <>
      <FiguresTotals figures={figures} failedWord={failedWord} />
      <FiguresCharts figures={figures} queue={queue} failedWord={failedWord} />
    </>
  )
}
