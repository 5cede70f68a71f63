import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { WebhookSummary } from '../../../api/webhookSummaries.ts'
import { arrivalsText, isRetrying } from '../../../model/arrivals.ts'
import { counted, pendingText } from '../../../model/numbers.ts'
import { type Webhook, webhookName } from '../../../model/webhook.ts'
import { EventTypeBadges } from '../../../shared/EventTypeBadges.tsx'
import { LastDelivery } from '../../../shared/LastDelivery.tsx'
import { Sparkline } from '../../../shared/Sparkline.tsx'
import { WebhookBadge } from '../../../shared/StatusBadge.tsx'
import { Stat } from '../../../shared/stats/Stat.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { shownState, whyInList } from '../stateWords.ts'
import classes from './list.module.css'

export function WebhookRow(props: {
  readonly webhook: Webhook
  readonly summary: WebhookSummary | null
  /** Whether the summary is being read. */
  readonly reading: boolean
}) {
  const { webhook, summary, reading } = props
  const { suspended } = useWorkspace()
  const { kind } = shownState(webhook, suspended)
  return (
    <li className={`ph-row ${classes.row}`} data-health={kind}>
      <Identity webhook={webhook} />
      {summary === null ? (
        <Stat label="Latest delivery">
          <Unknown reading={reading} />
        </Stat>
      ) : (
        <LastDelivery delivery={summary.last_delivery} />
      )}
      <Stat label="Last 24 hours">
        {summary === null ? (
          <Unknown reading={reading} />
        ) : (
          <Day summary={summary} failing={webhook.state.kind === 'failing'} />
        )}
      </Stat>
      <Stat label="Pending">
        {summary === null ? <Unknown reading={reading} /> : <Pending count={summary.pending} />}
      </Stat>
    </li>
  )
}

function Identity({ webhook }: { readonly webhook: Webhook }) {
  const workspace = useWorkspace()
  const { ref, suspended } = workspace
  const state = shownState(webhook, suspended)
  const why = whyInList(webhook, workspace)
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

function Day({ summary, failing }: { readonly summary: WebhookSummary; readonly failing: boolean }) {
  const { last_24h: day, pending } = summary
  const { deliveries, success_rate: rate, failed } = day
  if (rate === null) {
    return (
      <Text size="sm" c="dimmed">
        {failed > 0 ? `nothing delivered, ${counted(failed, 'attempt')} failed` : 'nothing sent'}
      </Text>
    )
  }
  const { leadsWith, counts, share } = arrivalsText({
    ...{ deliveries, rate, pending, failing },
    retrying: isRetrying(summary),
  })
  const leadsWithShare = leadsWith === 'share'
  return (
    <Stack gap={2}>
      <Sparkline hours={day.hours} />
      <Text size="sm" className="ph-numbers" fw={500} lh={1.2}>
        {leadsWithShare ? share : counts}{' '}
        {share !== null && (
          <Text span size="xs" c="dimmed" fw={400} display={leadsWithShare ? 'inline' : 'block'}>
            {leadsWithShare ? 'of finished deliveries' : `${share} of finished deliveries`}
          </Text>
        )}
      </Text>
    </Stack>
  )
}

function Pending({ count }: { readonly count: number }) {
  return (
    <Text size="sm" className="ph-numbers" {...(count === 0 ? { c: 'dimmed' } : {})}>
      {pendingText(count)}
    </Text>
  )
}
