import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { WebhookSummary } from '../../../api/overviews.ts'
import { countText, pendingText, shareOf, shareText } from '../../../model/numbers.ts'
import { LastDelivery } from '../../../shared/LastDelivery.tsx'
import { Sparkline } from '../../../shared/Sparkline.tsx'

/** How a webhook did in the last 24 hours, and how it stands now. */
export function DayFigures({ summary }: { readonly summary: WebhookSummary | null }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      <Figure label="Last delivery">
        {summary === null ? (
          <Wait />
        ) : summary.last_delivery === null ? (
          <Quiet>none yet</Quiet>
        ) : (
          <LastDelivery delivery={summary.last_delivery} />
        )}
      </Figure>
      <Figure label="Succeeded in 24 hours">
        {summary === null ? <Wait /> : <Rate day={summary.last_24h} />}
      </Figure>
      <Figure label="Attempts in 24 hours">
        {summary === null ? <Wait /> : <Attempts day={summary.last_24h} />}
      </Figure>
      <Figure label="Pending now">
        {summary === null ? <Wait /> : <Big>{pendingText(summary.pending)}</Big>}
      </Figure>
    </SimpleGrid>
  )
}

const Figure = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Card withBorder p="sm">
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {children}
    </Stack>
  </Card>
)

const Big = ({ children }: { readonly children: string }) => (
  <Text fz={24} fw={650} lh={1.2} className="ph-numbers">
    {children}
  </Text>
)

const Quiet = ({ children }: { readonly children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

const Wait = () => <Skeleton height={28} width={90} />

function Rate({ day }: { readonly day: WebhookSummary['last_24h'] }) {
  const rate = shareOf(day.succeeded, day.succeeded + day.failed)
  if (rate === null) return <Quiet>nothing sent</Quiet>
  return <Big>{shareText(rate)}</Big>
}

function Attempts({ day }: { readonly day: WebhookSummary['last_24h'] }) {
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
