import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { arrivalsText, isRetrying } from '../../../model/arrivals.ts'
import { counted, countText, pendingText } from '../../../model/numbers.ts'
import { waitText } from '../../../model/waiting.ts'
import { LastDelivery } from '../../../shared/LastDelivery.tsx'
import { Sparkline } from '../../../shared/Sparkline.tsx'
import { Big, Stat } from '../../../shared/stats/Stat.tsx'
import { durationText, shortTime } from '../../../shared/time.ts'
import { useNow } from '../../../shared/useNow.ts'

interface Props {
  readonly summary: DetailedWebhookSummary | null
  /** Whether every attempt since the last success failed. */
  readonly failing: boolean
  /** The service's word for failed deliveries. */
  readonly failedWord: string
}

/** Metrics of a webhook in the last 24 hours, and its pending deliveries. */
export function DayStats(props: Props) {
  const { summary } = props
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      <Card withBorder p="sm">
        {summary === null ? (
          <Stat label="Latest delivery">
            <Wait />
          </Stat>
        ) : (
          <LastDelivery delivery={summary.last_delivery} />
        )}
      </Card>
      <InCard label="Deliveries, last 24 hours">
        {summary === null ? <Wait /> : <Delivered {...props} summary={summary} />}
      </InCard>
      <InCard label="Response time, last 24 hours">
        {summary === null ? <Wait /> : <Response day={summary.last_24h} />}
      </InCard>
      <InCard label="Pending now">{summary === null ? <Wait /> : <Pending summary={summary} />}</InCard>
    </SimpleGrid>
  )
}

const InCard = (props: { readonly label: string; readonly children: ReactNode }) => (
  <Card withBorder p="sm">
    <Stat {...props} />
  </Card>
)

const Quiet = ({ children }: { readonly children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

const Small = ({ children, bad = false }: { readonly children: ReactNode; readonly bad?: boolean }) => (
  <Text size="xs" c={bad ? 'var(--ph-bad)' : 'dimmed'} className="ph-numbers" component="div">
    {children}
  </Text>
)

const Wait = () => <Skeleton height={28} width={90} />

type Day = DetailedWebhookSummary['last_24h']

/** Deliveries first, then attempts. */
function Delivered(props: Props & { readonly summary: DetailedWebhookSummary }) {
  const { summary, failing, failedWord } = props
  const { last_24h: day, pending } = summary
  const { deliveries, success_rate: rate, failed } = day
  const attempts = day.succeeded + failed
  if (rate === null && attempts === 0) return <Quiet>nothing sent</Quiet>
  const { delivered, delivered_first_attempt: first, failed: given, canceled } = deliveries
  const { leadsWith, counts, share } = arrivalsText({
    ...{ deliveries, rate, pending, failing },
    retrying: isRetrying(summary),
  })
  return (
    <Group gap="xs" justify="space-between" align="flex-end">
      <Stack gap={0}>
        {leadsWith === 'share' ? (
          <>
            <Big>{share!}</Big>
            <Small>of finished deliveries</Small>
            <Small>
              {countText(delivered)} delivered, {countText(first)} at the first attempt
            </Small>
          </>
        ) : (
          <>
            <Text fz={18} fw={650} lh={1.25} className="ph-numbers">
              {counts}
            </Text>
            {share !== null && <Small>{share} of finished deliveries</Small>}
            {delivered > 0 && <Small>{countText(first)} delivered at the first attempt</Small>}
          </>
        )}
        {given + canceled > 0 && (
          <Small bad={given > 0}>
            {countText(given)} {failedWord}, {countText(canceled)} canceled
          </Small>
        )}
        <Small>
          {counted(attempts, 'attempt')}, {countText(failed)} failed
        </Small>
        {failed > 0 && <Small>A delivery counts once, by its latest result.</Small>}
      </Stack>
      <Sparkline hours={day.hours} wide />
    </Group>
  )
}

function Response({ day: { response_ms: times } }: { readonly day: Day }) {
  if (times === null) return <Quiet>nothing sent</Quiet>
  return (
    <Stack gap={0}>
      <Big>{durationText(times.p50)}</Big>
      <Small>median (p50)</Small>
      <Small>95% within {durationText(times.p95)} (p95)</Small>
    </Stack>
  )
}

function Pending({ summary }: { readonly summary: DetailedWebhookSummary }) {
  const now = useNow(1_000)
  const { pending, oldest_pending: oldest } = summary
  return (
    <Stack gap={0}>
      <Big>{pendingText(pending)}</Big>
      {oldest !== null && (
        <Small>
          The oldest, {durationText(Math.max(0, now - Date.parse(oldest.created_at)))} old,{' '}
          {waitText(oldest, (at) => shortTime(at, now), pending)}.
        </Small>
      )}
    </Stack>
  )
}
