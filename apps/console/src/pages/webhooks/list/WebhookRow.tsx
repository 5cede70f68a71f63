import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { WebhookSummary } from '../../../api/webhookSummaries.ts'
import { counted, pendingText, shareText } from '../../../model/numbers.ts'
import { type Webhook, webhookName } from '../../../model/webhook.ts'
import { EventTypeBadges } from '../../../shared/EventTypeBadges.tsx'
import { Figure } from '../../../shared/figures/Figure.tsx'
import { LastDelivery } from '../../../shared/LastDelivery.tsx'
import { Sparkline } from '../../../shared/Sparkline.tsx'
import { WebhookBadge } from '../../../shared/StatusBadge.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { shownState, whyNothingIsSent } from '../stateWords.ts'
import classes from './list.module.css'

export function WebhookRow(props: {
  readonly webhook: Webhook
  readonly summary: WebhookSummary | null
  /** Whether the summary is still on its way. */
  readonly reading: boolean
}) {
  const { webhook, summary, reading } = props
  const { suspended } = useWorkspace()
  const { kind } = shownState(webhook, suspended)
  return (
    <li className={`ph-row ${classes.row}`} data-health={kind}>
      <Identity webhook={webhook} />
      <Figure label="Last delivery">
        {summary === null ? (
          <Unknown reading={reading} />
        ) : summary.last_delivery === null ? (
          <Text size="sm" c="dimmed">
            none yet
          </Text>
        ) : (
          <LastDelivery delivery={summary.last_delivery} />
        )}
      </Figure>
      <Figure label="Last 24 hours">
        {summary === null ? <Unknown reading={reading} /> : <Day {...summary.last_24h} />}
      </Figure>
      <Figure label="Pending">
        {summary === null ? <Unknown reading={reading} /> : <Pending count={summary.pending} />}
      </Figure>
    </li>
  )
}

function Identity({ webhook }: { readonly webhook: Webhook }) {
  const workspace = useWorkspace()
  const { ref, suspended } = workspace
  const state = shownState(webhook, suspended)
  const why = whyNothingIsSent(webhook, workspace)
  return (
    <Stack gap={6} miw={0}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <WebhookBadge kind={state.kind} />
        <Anchor
          component={Link}
          to={`/w/${ref}/webhooks/${webhook.id}`}
          className={`ph-cover ${classes.url}`}
          c="var(--mantine-color-text)"
          fw={600}
          size="sm"
        >
          <Untrusted>{webhookName(webhook)}</Untrusted>
        </Anchor>
      </Group>
      {webhook.description !== '' && (
        <Text size="sm" c="dimmed" component="div" lineClamp={2}>
          <Untrusted>{webhook.url}</Untrusted>
        </Text>
      )}
      {why !== null && (
        <Text size="sm" c={state.kind === 'off' ? 'var(--ph-bad)' : 'var(--ph-wait)'}>
          {why}
        </Text>
      )}
      {state.kind === 'failing' && (
        <Text size="sm" c="var(--ph-bad)" component="div">
          Failing since <Time at={state.since} as="short" />
        </Text>
      )}
      <EventTypeBadges types={webhook.eventTypes} />
    </Stack>
  )
}

const Unknown = ({ reading }: { readonly reading: boolean }) =>
  reading ? (
    <Skeleton height={18} width={90} />
  ) : (
    <Text size="sm" c="dimmed">
      unknown
    </Text>
  )

function Day(day: WebhookSummary['last_24h']) {
  const { success_rate: rate } = day
  if (rate === null) {
    return (
      <Text size="sm" c="dimmed">
        {day.failed > 0 ? `nothing delivered, ${counted(day.failed, 'attempt')} failed` : 'nothing sent'}
      </Text>
    )
  }
  return (
    <Group gap="xs" wrap="nowrap" align="center">
      <Sparkline hours={day.hours} />
      <Text size="sm" className="ph-numbers" fw={500} lh={1.2}>
        {shareText(rate)}{' '}
        <Text span size="xs" c="dimmed" fw={400} display="block">
          delivered
        </Text>
      </Text>
    </Group>
  )
}

function Pending({ count }: { readonly count: number }) {
  return (
    <Text size="sm" className="ph-numbers" {...(count === 0 ? { c: 'dimmed' } : {})}>
      {pendingText(count)}
    </Text>
  )
}
