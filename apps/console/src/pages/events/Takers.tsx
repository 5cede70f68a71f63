import { Anchor, Button, Card, Group, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EventType } from '../../api/eventTypes.ts'
import { allWebhooksQuery } from '../../api/webhooks.ts'
import { counted, countText } from '../../model/numbers.ts'
import { isOn, type WebhookState, webhookName } from '../../model/webhook.ts'
import { withArticle } from '../../model/words.ts'
import { WebhookBadge } from '../../shared/StatusBadge.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { shownState } from '../webhooks/stateWords.ts'
import { takersOf } from './takersOf.ts'

const FIRST_SHOWN = 10
const MORE = 100

/** Shows failing webhooks as enabled, since they are subscribed. */
const badgeKind = (state: WebhookState) => (isOn(state) ? 'on' : state.kind)

/** The webhooks that are subscribed to an event type, or a link to add one. */
export function Takers({ type }: { readonly type: Pick<EventType, 'type' | 'subscribable'> }) {
  const workspace = useWorkspace()
  const { noun } = workspace.service.features
  const webhooks = useQuery(allWebhooksQuery(workspace))
  const [shown, setShown] = useState(FIRST_SHOWN)
  if (!type.subscribable) {
    return <Text size="sm">The service sends this event on its own. It needs no subscription.</Text>
  }
  if (!webhooks.isSuccess) return null
  const takers = takersOf(webhooks.data, type)
  if (takers.length === 0) {
    return (
      <Group gap="sm">
        <Text size="sm">No {noun} of this workspace is subscribed to it.</Text>
        {workspace.mayChange && (
          <Button
            component={Link}
            to={`/w/${workspace.ref}/webhooks/new`}
            size="xs"
            variant="default"
            leftSection={<IconPlus size={15} />}
          >
            Add {withArticle(noun)}
          </Button>
        )}
      </Group>
    )
  }
  return (
    <Card withBorder padding="md">
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {counted(takers.length, noun)} {takers.length === 1 ? 'is' : 'are'} subscribed
        </Text>
        {takers.slice(0, shown).map((webhook) => (
          <Group key={webhook.id} gap="xs" wrap="nowrap" align="flex-start">
            <WebhookBadge kind={badgeKind(shownState(webhook, workspace.suspended))} />
            <Anchor component={Link} to={`/w/${workspace.ref}/webhooks/${webhook.id}`} size="sm">
              <Untrusted>{webhookName(webhook)}</Untrusted>
            </Anchor>
          </Group>
        ))}
        {takers.length > shown && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="start"
            onClick={() => setShown(shown + MORE)}
          >
            and {countText(takers.length - shown)} more
          </Anchor>
        )}
      </Stack>
    </Card>
  )
}
