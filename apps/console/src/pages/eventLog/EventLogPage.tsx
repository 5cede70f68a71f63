import { Button, Card, Group, SimpleGrid, Stack } from '@mantine/core'
import { IconRefresh, IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { isFiltered } from '../../model/deliverySearch.ts'
import type { EventSearch } from '../../model/eventSearch.ts'
import { spanText } from '../../model/spanText.ts'
import { IndexedUntil } from '../../shared/IndexedUntil.tsx'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Empty, Failure, Loading } from '../../shared/states.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { TimeFilter } from '../deliveries/filters/TimeFilter.tsx'
import { TypesFilter } from '../deliveries/filters/TypesFilter.tsx'
import { WordsFilter } from '../deliveries/filters/WordsFilter.tsx'
import { EventLogRow } from './EventLogRow.tsx'
import { useEventPages } from './useEventPages.ts'

/** All published events of the workspace, also those that were not sent. */
export function EventLogPage() {
  const { ref, service } = useWorkspace()
  const { searchable } = service.features
  const search: EventSearch = useSearch({ from: '/w/$ws/event-log' })
  const navigate = useNavigate()
  const read = useEventPages(search)
  const here = { to: '/w/$ws/event-log', params: { ws: ref }, resetScroll: false } as const
  const change = (filters: EventSearch) => void navigate({ ...here, search: { ...search, ...filters } })
  const clear = () => void navigate({ ...here, search: {} })
  const events = read.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <PageFrame
      title="Events"
      lead={'All events published to this workspace, newest first, including events that were not sent.'}
    >
      <WordsFilter value={search.q} onChange={(q) => change({ q })} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs">
        <TypesFilter value={search.type} onChange={(type) => change({ type })} />
        <TimeFilter search={search} onChange={({ period, from, to }) => change({ period, from, to })} />
      </SimpleGrid>
      <Group justify="space-between" gap="xs">
        <IndexedUntil until={read.data?.pages[0]?.indexedUntil} />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          ml="auto"
          loading={read.isRefetching}
          onClick={() => void read.refetch()}
        >
          Refresh events
        </Button>
      </Group>
      {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
      {read.isPending && <Loading rows={8} />}
      {read.isSuccess && events.length === 0 && <NoEvents filtered={isFiltered(search)} onClear={clear} />}
      {events.length > 0 && (
        <Card withBorder padding={0}>
          <Stack component="ul" gap={0} m={0} p={0} className="ph-event-log">
            {events.map((event) => (
              <EventLogRow key={event.id} event={event} ws={ref} searchable={searchable} />
            ))}
          </Stack>
        </Card>
      )}
      {read.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={read.isFetchingNextPage}
            onClick={() => void read.fetchNextPage()}
          >
            Show older events
          </Button>
        </Group>
      )}
    </PageFrame>
  )
}

function NoEvents({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  const { rules } = useWorkspace()
  if (!filtered)
    return (
      <Empty icon={<IconSearch size={26} />} title="No events yet">
        Events appear here within seconds after they are published.
      </Empty>
    )
  return (
    <Empty
      icon={<IconSearch size={26} />}
      title="No event matches"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Search for whole words. Events are kept for {spanText(rules.retention_s)}.
    </Empty>
  )
}
