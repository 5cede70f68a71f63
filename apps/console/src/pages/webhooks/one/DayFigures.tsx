import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { countText, pendingText, shareOf, shareText } from '../../../model/numbers.ts'
import { Big, Figure } from '../../../shared/figures/Figure.tsx'
import { LastDelivery } from '../../../shared/LastDelivery.tsx'
import { Sparkline } from '../../../shared/Sparkline.tsx'

/** How a webhook did in the last 24 hours, and how it stands now. */
export function DayFigures({ summary }: { readonly summary: DetailedWebhookSummary | null }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      <InCard label="Last delivery">
        {summary === null ? (
          <Wait />
        ) : summary.last_delivery === null ? (
          <Quiet>none yet</Quiet>
        ) : (
          <LastDelivery delivery={summary.last_delivery} />
        )}
      </InCard>
      <InCard label="Succeeded in 24 hours">
        {summary === null ? <Wait /> : <Rate day={summary.last_24h} />}
      </InCard>
      <InCard label="Attempts in 24 hours">
        {summary === null ? <Wait /> : <Attempts day={summary.last_24h} />}
      </InCard>
      <InCard label="Pending now">
        {summary === null ? <Wait /> : <Big>{pendingText(summary.pending)}</Big>}
      </InCard>
    </SimpleGrid>
  )
}

const InCard = (props: { readonly label: string; readonly children: ReactNode }) => (
  <Card withBorder p="sm">
    <Figure {...props} />
  </Card>
)

const Quiet = ({ children }: { readonly children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

const Wait = () => <Skeleton height={28} width={90} />

function Rate({ day }: { readonly day: DetailedWebhookSummary['last_24h'] }) {
  const rate = shareOf(day.succeeded, day.succeeded + day.failed)
  if (rate === null) return <Quiet>nothing sent</Quiet>
  return <Big>{shareText(rate)}</Big>
}

function Attempts({ day }: { readonly day: DetailedWebhookSummary['last_24h'] }) {
  return (
    <Group gap="xs" justify="space-between" align="flex-end">
      <Stack gap={0}>
        <Big>{countText(day.succeeded + day.failed)}</Big>
        {day.failed > 0 && (
          <Text size="xs" c="var(--ph-bad)" className="ph-numbers">
            {countText(day.failed)} failed
          </Text>
        )}
      </Stack>
      <Sparkline hours={day.hours} />
    </Group>
  )
}
