import { Anchor, Box, Card, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconList, IconSearch, IconSearchOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type EventType, eventTypesQuery } from '../../api/eventTypes.ts'
import { allWebhooksQuery } from '../../api/webhooks.ts'
import { eventGroups } from '../../model/eventGroups.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Empty, Failure, Loading } from '../../shared/states.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { Prose } from './schema/Prose.tsx'
import { TakersBadge } from './TakersBadge.tsx'
import { takersOf } from './takersOf.ts'

/** The catalog of event types, with the number of subscribed webhooks. */
export function EventTypesPage() {
  const { id } = useWorkspace()
  const types = useQuery(eventTypesQuery(id))
  return (
    <PageFrame
      title="Event types"
      lead="The events that this workspace can receive. Open a type to see its fields and samples."
    >
      {types.isPending && <Loading />}
      {types.isError && <Failure error={types.error} retry={() => void types.refetch()} />}
      {types.isSuccess && <Catalog types={types.data} />}
    </PageFrame>
  )
}

function Catalog({ types }: { readonly types: readonly EventType[] }) {
  const { q = '' } = useSearch({ from: '/w/$ws/events' })
  const navigate = useNavigate({ from: '/w/$ws/events' })
  const search = (text: string) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })
  const groups = eventGroups(types, q)
  if (types.length === 0) return <NoneListed />
  return (
    <Stack gap="lg">
      <TextInput
        label="Search"
        type="search"
        leftSection={<IconSearch size={16} />}
        placeholder="approved, campaign, failed…"
        value={q}
        onChange={(event) => search(event.currentTarget.value)}
        maw={420}
      />
      {groups.length === 0 && (
        <Empty icon={<IconSearchOff size={24} />} title="No event type matches">
          Try other words, or fewer.
        </Empty>
      )}
      {groups.map(({ name, types }) => (
        <Stack key={name} gap="xs" component="section">
          <Title order={2}>
            <Untrusted>{name}</Untrusted>
          </Title>
          <Card withBorder padding={0}>
            <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
              {types.map((type, place) => (
                <Row key={type.type} type={type} first={place === 0} />
              ))}
            </Box>
          </Card>
        </Stack>
      ))}
    </Stack>
  )
}

const NoneListed = () => (
  <Empty icon={<IconList size={24} />} title="No event types are listed">
    This service accepts any event type. Webhooks subscribe to event types by name.
  </Empty>
)

function Row({ type, first }: { readonly type: EventType; readonly first: boolean }) {
  const workspace = useWorkspace()
  const webhooks = useQuery(allWebhooksQuery(workspace))
  return (
    <Box
      component="li"
      className="ph-row"
      p="md"
      style={first ? {} : { borderTop: '1px solid var(--ph-border)' }}
    >
      <Group justify="space-between" align="flex-start" gap="xs">
        <Stack gap={2} style={{ flex: '1 1 260px', minWidth: 0 }}>
          <Group gap="xs">
            <Anchor
              renderRoot={(root) => (
                <Link {...root} to="/w/$ws/events/$type" params={{ ws: workspace.ref, type: type.type }} />
              )}
              className="ph-cover"
              fw={600}
              size="sm"
            >
              <Untrusted>{type.title}</Untrusted>
            </Anchor>
            <Code>
              <Untrusted isName>{type.type}</Untrusted>
            </Code>
          </Group>
          <Text size="sm" c="dimmed" component="div">
            <Prose>{type.description}</Prose>
          </Text>
        </Stack>
        {webhooks.isSuccess && type.subscribable && (
          <TakersBadge count={takersOf(webhooks.data, type).length} noun={workspace.service.features.noun} />
        )}
      </Group>
    </Box>
  )
}
