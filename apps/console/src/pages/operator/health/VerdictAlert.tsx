import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { figuresQuery } from '../../../api/figures.ts'
import { failingWebhooksQuery, nodesQuery, warningsQuery } from '../../../api/operator.ts'
import { verdictOf } from '../../../model/health.ts'
import { Failure } from '../../../shared/states.tsx'
import { shortTime } from '../../../shared/time.ts'
import { useNow } from '../../../shared/useNow.ts'

const PERIOD = '1h'
/** As many webhooks that fail are looked at; each costs the service a look at its deliveries. */
const LOOKED_AT = 20

const LOOKS = {
  good: { color: 'green', icon: <IconCircleCheck size={22} /> },
  warning: { color: 'yellow', icon: <IconAlertTriangle size={22} /> },
  bad: { color: 'red', icon: <IconAlertOctagon size={22} /> },
} as const

/** The first line of the page: is everything all right, whatever period the figures below are of. */
export function VerdictAlert() {
  const now = useNow(5_000)
  const [nodes, failing, figures, warnings] = useQueries({
    queries: [
      nodesQuery,
      failingWebhooksQuery(PERIOD, LOOKED_AT),
      figuresQuery({ of: 'everything' }, PERIOD),
      warningsQuery,
    ],
  })
  const broken = [nodes, failing, figures, warnings].find((read) => read.isError)
  if (broken !== undefined) {
    return <Failure error={broken.error} retry={() => void broken.refetch()} />
  }
  if (
    nodes.data === undefined ||
    failing.data === undefined ||
    figures.data === undefined ||
    warnings.data === undefined
  ) {
    return <Skeleton height={76} radius="md" role="status" aria-label="Loading" />
  }
  const signs = {
    nodes: nodes.data.data,
    queue: nodes.data.queue,
    warnings: warnings.data,
    failing: failing.data,
    moreFailing: failing.data.length >= LOOKED_AT,
    totals: figures.data.totals,
  }
  const { level, title, sentences } = verdictOf(signs, now, (at) => shortTime(at, now))
  const { color, icon } = LOOKS[level]
  return (
    <Alert color={color} variant="light" icon={icon} title={title} role="status">
      <Stack gap={4}>
        {sentences.map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}
