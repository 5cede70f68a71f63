import { Anchor, Box, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { failingWebhooksQuery } from '../../../api/operator.ts'
import { arrivalsText } from '../../../model/arrivals.ts'
import type { FailingWebhook } from '../../../model/health.ts'
import { counted, countText } from '../../../model/numbers.ts'
import { periodName } from '../../../model/periods.ts'
import { countEnded } from '../../../model/stats.ts'
import { webhookName } from '../../../model/webhook.ts'
import { usePeriod } from '../../../shared/PeriodControl.tsx'
import { WebhookBadge } from '../../../shared/StatusBadge.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { Panel } from '../Panel.tsx'

const SHOWN = 10

/** Webhooks with the most failed attempts in the period. */
export function FailingWebhooks() {
  const period = usePeriod()
  const read = useQuery(failingWebhooksQuery(period, SHOWN))
  return (
    <Panel
      title={`Webhooks with the most failures in the ${periodName(period)}`}
      read={read}
      empty="No attempt failed."
    >
      {(webhooks) => (
        <ul className="ph-entries">
          {webhooks.map((webhook) => (
            <FailingRow key={webhook.webhook_id} webhook={webhook} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

export function FailingRow({ webhook }: { readonly webhook: FailingWebhook }) {
  const { workspace, webhook_id, state, deliveries, attempts, failed, success_rate, last_error } = webhook
  const finished = counted(countEnded(deliveries), 'finished delivery', 'finished deliveries')
  const { counts, share } = arrivalsText({
    ...{ deliveries, rate: success_rate, pending: null, retrying: false },
    failing: state.kind === 'failing',
  })
  return (
    <Box component="li" className="ph-entry ph-row" py="xs">
      <Stack gap={2}>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <WebhookBadge kind={state.kind} />
          <Anchor
            component={Link}
            to={`/w/${workspace.id}/webhooks/${webhook_id}`}
            size="sm"
            className="ph-cover"
            style={{ minWidth: 0 }}
          >
            <Text inherit lineClamp={2} component="span">
              <Untrusted>{webhookName(webhook)}</Untrusted>
            </Text>
          </Anchor>
        </Group>
        <Text size="sm" className="ph-numbers">
          {counts}, {countText(failed)} of {counted(attempts, 'attempt')} failed.
          {share !== null && ` ${share} of ${finished} were delivered.`}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Untrusted>{workspace.name}</Untrusted>
          {last_error !== null && (
            <>
              {' · '}
              <Time at={last_error.at} as="relative" />: <Untrusted>{last_error.message}</Untrusted>
            </>
          )}
        </Text>
      </Stack>
    </Box>
  )
}
