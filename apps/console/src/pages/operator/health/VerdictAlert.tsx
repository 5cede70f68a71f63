import { Alert, Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { nodesQuery, overviewQuery, warningsQuery } from '../../../api/operator.ts'
import { verdictOf } from '../../../model/health.ts'
import { waitText } from '../../../model/waiting.ts'
import { Failure } from '../../../shared/states.tsx'
import { durationText, shortTime } from '../../../shared/time.ts'
import { useNow } from '../../../shared/useNow.ts'
import { FAILING_NOW } from './FailingNow.tsx'

const LOOKS = {
  good: { color: 'green', icon: <IconCircleCheck size={22} /> },
  warning: { color: 'yellow', icon: <IconAlertTriangle size={22} /> },
  bad: { color: 'red', icon: <IconAlertOctagon size={22} /> },
} as const

/** The overall status of the service, independent of the period of the metrics below. */
export function VerdictAlert() {
  const now = useNow(5_000)
  const [nodes, overview, warnings] = useQueries({ queries: [nodesQuery, overviewQuery, warningsQuery] })
  const broken = [nodes, overview, warnings].find((read) => read.isError)
  if (broken !== undefined) {
    return <Failure error={broken.error} retry={() => void broken.refetch()} />
  }
  if (nodes.data === undefined || overview.data === undefined || warnings.data === undefined) {
    return <Skeleton height={76} radius="md" role="status" aria-label="Loading" />
  }
  const signs = { nodes: nodes.data.data, overview: overview.data, warnings: warnings.data }
  const when = (at: string) => shortTime(at, now)
  const { level, title, sentences } = verdictOf(signs, now, when)
  const { color, icon } = LOOKS[level]
  const { webhooks, oldest_pending: oldest } = overview.data
  return (
    <Alert color={color} variant="light" icon={icon} title={title} role="status">
      <Stack gap={4}>
        {sentences.map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))}
        {oldest !== null && (
          <Text size="sm">
            The oldest pending delivery is {durationText(Math.max(0, now - Date.parse(oldest.created_at)))}{' '}
            old and {waitText(oldest, when, overview.data.pending)}.
          </Text>
        )}
        {webhooks.failing > 0 && (
          <Anchor href={`#${FAILING_NOW}`} size="sm">
            Show failing webhooks
          </Anchor>
        )}
      </Stack>
    </Alert>
  )
}
