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

/** Selects dead deliveries, shows their number, and starts a replay. */
export function NewReplay(props: {
  readonly search: ReplaySearch
  readonly onChange: (search: ReplaySearch) => void
}) {
  const { search, onChange } = props
  const { id: ws, ref, service } = useWorkspace()
  const [asked, { open, close }] = useDisclosure(false)
  const keyOf = useIdempotencyKey()
  // The count and the start use the same times.
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
                'No matching delivery is dead: there is nothing to replay.'
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
                    Show {total === 1 ? 'it' : 'them'}
                  </Anchor>
                </>
              ))}
          </Text>
          <Button
            leftSection={<IconPlayerTrackPrev size={16} />}
            disabled={total === 0 && count.data?.hasMore !== true}
            onClick={open}
          >
            Replay deliveries…
          </Button>
        </Group>
      </Stack>
      <Dialog opened={asked} onClose={close} title={`Replay ${text}?`}>
        <Stack>
          <Text size="sm">
            {capitalized(text)}{' '}
            {total === 1 ? 'is sent again and restarts its' : 'are sent again and restart their'} retry
            schedule. One replay includes at most 10,000 deliveries. They are sent as fast as the receiver
            responds. Make sure that it is ready, and that it skips events that it has already processed.
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
