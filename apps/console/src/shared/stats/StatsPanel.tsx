import { Group, Stack, Text } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { statsQuery } from '../../api/stats.ts'
import { periodName } from '../../model/periods.ts'
import { countAttempts, countEnded, type Stats, type StatsScope } from '../../model/stats.ts'
import { PeriodControl, usePeriod } from '../PeriodControl.tsx'
import { Empty, Failure, Loading } from '../states.tsx'
import { StatsCharts } from './StatsCharts.tsx'
import { StatsTotals } from './StatsTotals.tsx'

/**
 * Metrics of a selectable period: totals, and charts of throughput, success and durations. The route of the page needs
 * `validateSearch: periodSearch`.
 *
 * ```tsx
 * <StatsPanel scope={{ of: 'webhook', ws: id, webhookId }} />
 * ```
 */
export function StatsPanel({
  scope,
  failedWord = 'failed',
}: {
  readonly scope: StatsScope
  /** The service's word for failed deliveries. */
  readonly failedWord?: string
}) {
  const period = usePeriod()
  const stats = useQuery(statsQuery(scope, period))
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
      {stats.isPending && <Loading />}
      {stats.isError && <Failure error={stats.error} retry={() => void stats.refetch()} />}
      {stats.data !== undefined && <Content stats={stats.data} scope={scope} failedWord={failedWord} />}
    </Stack>
  )
}

function Content({
  stats,
  scope,
  failedWord,
}: {
  readonly stats: Stats
  readonly scope: StatsScope
  readonly failedWord: string
}) {
  const queue = scope.of === 'everything'
  const { events, attempts, deliveries } = stats.totals
  if (!queue && events === 0 && countAttempts(attempts) === 0 && countEnded(deliveries) === 0) {
    return (
      <Empty icon={<IconChartBar size={24} />} title={`No events in the ${periodName(stats.period)}`}>
        Metrics of events, deliveries and response times appear here once events are published.
      </Empty>
    )
  }
  return (
    <>
      <StatsTotals stats={stats} failedWord={failedWord} />
      <StatsCharts stats={stats} queue={queue} failedWord={failedWord} />
    </>
  )
}
