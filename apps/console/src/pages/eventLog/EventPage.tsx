import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { serverNow } from '../../api/serverNow.ts'
import type { Delivery } from '../../model/delivery.ts'
import { deliveriesEveryMs } from '../../model/pageRefresh.ts'
import { subjectsOf } from '../../model/searchable.ts'
import { deliveriesText, type WorkspaceEvent } from '../../model/workspaceEvent.ts'
import { AboutFact } from '../../shared/AboutFact.tsx'
import { CodeBlock } from '../../shared/CodeBlock.tsx'
import { CopyIcon } from '../../shared/Copy.tsx'
import { Fact, Facts } from '../../shared/Facts.tsx'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../shared/states.tsx'
import { Time } from '../../shared/Time.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { DeliveryTable } from '../deliveries/DeliveryTable.tsx'
import { ResendButton } from '../delivery/resend/ResendButton.tsx'
import { RetryButton } from '../delivery/resend/RetryButton.tsx'

/** Deliveries on the page, which links to all of them. */
const SHOWN = 50
const REFRESH_MS = 10_000

/** An event with its payload and deliveries. */
export function EventPage() {
  const { id } = useParams({ from: '/w/$ws/event-log/$id' })
  const { id: ws, ref, service } = useWorkspace()
  const read = useQuery({
    queryKey: ['event', ws, id],
    queryFn: async ({ signal }) => {
      const page = await service.listEvents({ filter: { q: id }, cursor: null, limit: 1, signal })
      // An unknown id may match a word of other events.
      return page.items.find((event) => event.id === id) ?? null
    },
    refetchInterval: REFRESH_MS,
  })
  const { searchable } = service.features
  const event = read.data
  const trail = [{ to: `/w/${ref}/event-log`, label: 'Events' }]
  if (event == null) {
    return (
      <PageFrame title="Event" trail={trail}>
        {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading />}
        {event === null && (
          <Text>There is no event with this id, or it was removed after the retention period.</Text>
        )}
      </PageFrame>
    )
  }
  return (
    <PageFrame title={event.type} trail={trail}>
      <Card withBorder padding="sm">
        <Facts>
          <Fact name="Event">
            <Group gap={6} wrap="nowrap">
              <Untrusted mono>{event.id}</Untrusted>
              <CopyIcon value={event.id} what="event id" />
            </Group>
          </Fact>
          <AboutFact subjects={subjectsOf(event.json, searchable)} />
          <Fact name="Accepted">
            <Time at={event.acceptedAt} />
          </Fact>
          <Fact name="Deliveries">{deliveriesText(event)}</Fact>
        </Facts>
      </Card>
      <EventDeliveries event={event} />
      <Stack gap="sm">
        <Title order={2}>Payload</Title>
        <Text size="sm" c="dimmed">
          The request body. This view adds the id and the type if the body does not contain them.
        </Text>
        <CodeBlock text={JSON.stringify(event.json, null, 2)} what="payload" wrap />
      </Stack>
    </PageFrame>
  )
}

/** Actions of a row. */
const actionsOf = (delivery: Delivery) => (
  <Group gap={6} justify="flex-end" wrap="nowrap">
    <RetryButton delivery={delivery} small />
    <ResendButton delivery={delivery} small />
  </Group>
)

function EventDeliveries({ event }: { readonly event: WorkspaceEvent }) {
  const { id: ws, ref, service, maySend } = useWorkspace()
  const { noun, pauseHolds, canRetry, resend } = service.features
  const acts = maySend && (canRetry || resend !== null)
  const read = useQuery({
    queryKey: ['event deliveries', ws, event.id],
    queryFn: ({ signal }) =>
      service.listDeliveries({ filter: { eventId: event.id }, cursor: null, limit: SHOWN, signal }),
    refetchInterval: ({ state }) => deliveriesEveryMs(state.data?.items ?? [], serverNow()),
  })
  const rows = read.data?.items ?? []
  return (
    <Stack gap="sm">
      <Title order={2}>Deliveries</Title>
      {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
      {read.isPending && <Loading rows={2} />}
      {read.isSuccess && rows.length === 0 && (
        <Text>
          This event was not sent. When it was published, no enabled {noun} subscribed to its type.
          {!pauseHolds && ` A paused or disabled ${noun} skips events.`}
        </Text>
      )}
      {rows.length > 0 && (
        <DeliveryTable rows={rows} withWebhook selection={null} {...(acts ? { actionsOf } : {})} />
      )}
      {read.data !== undefined && read.data.nextCursor !== null && (
        <Anchor
          size="sm"
          renderRoot={(root) => (
            <Link {...root} to="/w/$ws/deliveries" params={{ ws: ref }} search={{ q: event.id }} />
          )}
        >
          Show all deliveries
        </Anchor>
      )}
    </Stack>
  )
}
