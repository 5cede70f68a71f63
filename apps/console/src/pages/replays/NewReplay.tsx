import { Anchor, Button, Card, Group, Loader, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerTrackPrev } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { serverNow } from '../../api/serverNow.ts'
import { filterOf, type ReplaySearch } from '../../model/deliverySearch.ts'
import { deliveriesText } from '../../model/numbers.ts'
import type { ReplayFilter } from '../../model/service.ts'
import { capitalized } from '../../model/words.ts'
import { Dialog } from '../../shared/Dialog.tsx'
import { Failure } from '../../shared/states.tsx'
import { useIdempotencyKey } from '../../shared/useIdempotencyKey.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import type { FilterProps } from '../deliveries/filters/filterProps.ts'
import { EventTypeFilter, WebhookFilter } from '../deliveries/filters/Selects.tsx'
import { TimeFilter } from '../deliveries/filters/TimeFilter.tsx'

/** Chooses what is replayed, says how many that are, and starts it. */
export function NewReplay(props: {
  readonly search: ReplaySearch
  readonly onChange: (search: ReplaySearch) => void
}) {
  const { search, onChange } = props
  const { id: ws, ref, service } = useWorkspace()
  const [asked, { open, close }] = useDisclosure(false)
  const keyOf = useIdempotencyKey()
  // Counted and started with the same times, however long somebody thinks about it.
  const filter = useMemo((): ReplayFilter => {
    const { webhookId, eventType, from, to } = filterOf(search, serverNow())
    return { webhookId, eventType, from, to }
  }, [search])
  const count = useQuery({
    queryKey: ['replayable', ws, filter],
    queryFn: () => service.countReplayable(filter),
  })
  const start = useMutation({
    mutationFn: () => service.startReplay({ filter, idempotencyKey: keyOf(filter) }),
    onSuccess: ({ id }) => onChange({ replay: id }),
  })
  const change: FilterProps['onChange'] = (filters) => onChange({ ...search, ...filters })
  const total = count.data?.total ?? 0
  const text = `${count.data?.hasMore === true ? 'at least ' : ''}${deliveriesText(total)}`
  return (
    <Card withBorder>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <WebhookFilter search={search} onChange={change} />
          <EventTypeFilter search={search} onChange={change} />
          <TimeFilter search={search} onChange={change} />
        </SimpleGrid>
        {count.isError && <Failure error={count.error} retry={() => void count.refetch()} />}
        <Group justify="space-between" gap="sm">
          <Text size="sm" role="status" component="div">
            {count.isPending && (
              <Group gap="xs">
                <Loader size="xs" /> Counting…
              </Group>
            )}
            {count.isSuccess &&
              (total === 0 && !count.data.hasMore ? (
                'No delivery that fits is dead: there is nothing to replay.'
              ) : (
                <>
                  {capitalized(text)} {total === 1 ? 'is' : 'are'} dead.{' '}
                  <Anchor
                    size="sm"
                    underline="always"
                    renderRoot={(root) => (
                      <Link
                        {...root}
                        to="/w/$ws/deliveries"
                        params={{ ws: ref }}
                        search={{ ...search, status: 'dead' as const }}
                      />
                    )}
                  >
                    Look at {total === 1 ? 'it' : 'them'}
                  </Anchor>
                </>
              ))}
          </Text>
          <Button
            leftSection={<IconPlayerTrackPrev size={16} />}
            disabled={total === 0 && count.data?.hasMore !== true}
            onClick={open}
          >
            Replay…
          </Button>
        </Group>
      </Stack>
      <Dialog opened={asked} onClose={close} title="Replay them?">
        <Stack>
          <Text size="sm">
            {capitalized(text)} {total === 1 ? 'is' : 'are'} sent again, each with all of its attempts, at
            most 10,000 at a time. The receiver gets them as fast as it answers: make sure that it is ready,
            and that it skips events whose id it has seen.
          </Text>
          {start.isError && <Failure error={start.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={start.isPending} onClick={() => start.mutate()} data-autofocus>
              Replay {text}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Card>
  )
}
