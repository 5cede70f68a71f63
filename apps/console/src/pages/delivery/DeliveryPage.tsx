import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { attemptsMade, type Delivery } from '../../model/delivery.ts'
import { counted } from '../../model/numbers.ts'
import { subjectsOfText } from '../../model/searchable.ts'
import { capitalized } from '../../model/words.ts'
import { AboutFact } from '../../shared/AboutFact.tsx'
import { CopyIcon } from '../../shared/Copy.tsx'
import { Fact, Facts } from '../../shared/Facts.tsx'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { DeliveryBadge } from '../../shared/StatusBadge.tsx'
import { Failure, Loading } from '../../shared/states.tsx'
import { Time } from '../../shared/Time.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { AttemptList } from './AttemptList.tsx'
import { NextStep } from './NextStep.tsx'
import { RecoverOthers } from './RecoverOthers.tsx'
import { ResendButton } from './resend/ResendButton.tsx'
import { RetryButton } from './resend/RetryButton.tsx'
import { useDelivery } from './useDelivery.ts'
import { useWebhookName } from './useWebhookName.ts'

/** A delivery: its status, the next step, and its attempts with requests and responses. */
export function DeliveryPage() {
  const { id: webhookId, did } = useParams({ from: '/w/$ws/webhooks/$id/deliveries/$did' })
  const { ref, service } = useWorkspace()
  const webhook = useWebhookName(webhookId)
  const query = useDelivery(webhookId, did)
  const delivery = query.data
  const trail = [
    { to: `/w/${ref}/deliveries`, label: 'Deliveries' },
    { to: `/w/${ref}/webhooks/${webhookId}`, label: webhook ?? service.features.noun },
  ]
  if (delivery === undefined) {
    return (
      <PageFrame title="Delivery" trail={trail}>
        {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
      </PageFrame>
    )
  }
  return (
    <PageFrame
      title={delivery.eventType}
      trail={trail}
      badge={<DeliveryBadge status={delivery.status} />}
      actions={
        <>
          <RetryButton delivery={delivery} />
          <ResendButton delivery={delivery} />
        </>
      }
    >
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      <DeliveryFacts delivery={delivery} webhook={webhook} />
      <NextStep delivery={delivery} />
      <RecoverOthers delivery={delivery} />
      {delivery.attempts.length > 0 && (
        <Stack gap="sm">
          <Group gap="sm" align="baseline">
            <Title order={2}>{counted(attemptsMade(delivery), 'attempt')}</Title>
            {attemptsMade(delivery) > delivery.attempts.length && (
              <Text size="sm" c="dimmed">
                The newest {delivery.attempts.length} are shown.
              </Text>
            )}
          </Group>
          <AttemptList delivery={delivery} />
        </Stack>
      )}
    </PageFrame>
  )
}

function DeliveryFacts({
  delivery,
  webhook,
}: {
  readonly delivery: Delivery
  readonly webhook: string | null
}) {
  const { ref, service } = useWorkspace()
  const { id, webhookId, eventId, createdAt, finishedAt } = delivery
  const { noun, searchable } = service.features
  return (
    <Card withBorder padding="sm">
      <Facts>
        <Fact name="Event">
          <Group gap={6}>
            <Group gap={6} wrap="nowrap">
              <Untrusted mono>{eventId}</Untrusted>
              <CopyIcon value={eventId} what="event id" />
            </Group>
            <Anchor
              size="sm"
              renderRoot={(root) => (
                <Link {...root} to="/w/$ws/event-log/$id" params={{ ws: ref, id: eventId }} />
              )}
            >
              Show event and all its deliveries
            </Anchor>
          </Group>
        </Fact>
        <AboutFact subjects={subjectsOfText(delivery.requestBody, searchable)} />
        <Fact name={capitalized(noun)}>
          <Anchor size="sm" renderRoot={(root) => <Link {...root} to={`/w/${ref}/webhooks/${webhookId}`} />}>
            <Untrusted>{webhook ?? webhookId}</Untrusted>
          </Anchor>
        </Fact>
        <Fact name="Delivery">
          <Group gap={6} wrap="nowrap">
            <Untrusted mono>{id}</Untrusted>
            <CopyIcon value={id} what="delivery id" />
          </Group>
        </Fact>
        <Fact name="Created">
          <Time at={createdAt} />
        </Fact>
        {finishedAt !== null && (
          <Fact name="Finished">
            <Time at={finishedAt} />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}
