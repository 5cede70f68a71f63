import { Alert, Anchor, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workspaceOverviewQuery } from '../../../api/webhookSummaries.ts'
import { failingText } from '../../../model/health.ts'
import { counted, countText } from '../../../model/numbers.ts'
import { waitText } from '../../../model/waiting.ts'
import { webhookName } from '../../../model/webhook.ts'
import { Time } from '../../../shared/Time.tsx'
import { durationText, shortTime } from '../../../shared/time.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useNow } from '../../../shared/useNow.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** The failing webhooks of a workspace, and why the oldest pending delivery waits. Renders nothing if there are none. */
export function FailingAlert() {
  const { id: ws, ref, service } = useWorkspace()
  const { noun } = service.features
  const now = useNow(5_000)
  const { data } = useQuery(workspaceOverviewQuery(ws))
  if (data === undefined) return null
  const { webhooks, failing, pending, oldest_pending: oldest } = data
  const more = webhooks.failing - failing.length
  const waits = oldest !== null && (
    <Text size="sm">
      {pending.count > 0 &&
        `${counted(pending.count, 'delivery', 'deliveries')}${pending.more ? ' or more' : ''} pending. `}
      The oldest pending delivery is {durationText(Math.max(0, now - Date.parse(oldest.created_at)))} old and{' '}
      {waitText(oldest, (at) => shortTime(at, now), pending.count)}.{' '}
      <Anchor
        component={Link}
        to={`/w/${ref}/webhooks/${oldest.webhook_id}/deliveries/${oldest.delivery_id}`}
        size="sm"
        underline="always"
        style={{ whiteSpace: 'nowrap' }}
      >
        Show delivery
      </Anchor>
    </Text>
  )
  if (webhooks.failing === 0) return waits || null
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconAlertTriangle size={22} />}
      title={failingText(webhooks, noun)}
      role="status"
    >
      <List size="sm" spacing={4} mb="xs">
        {failing.map((webhook) => (
          <List.Item key={webhook.webhook_id}>
            <Anchor component={Link} to={`/w/${ref}/webhooks/${webhook.webhook_id}`} size="sm">
              <Untrusted>{webhookName(webhook)}</Untrusted>
            </Anchor>{' '}
            since <Time at={webhook.failing_since} as="short" />
          </List.Item>
        ))}
        {more > 0 && (
          <List.Item>
            <Anchor
              component={Link}
              to={`/w/${ref}/webhooks`}
              search={{ state: 'failing' } as never}
              size="sm"
            >
              and {countText(more)} more
            </Anchor>
          </List.Item>
        )}
      </List>
      {waits}
    </Alert>
  )
}
