import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { lazy, useMemo } from 'react'
import { type ConsumersApi, consumersApi, consumersQuery } from '../../../api/consumers.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { ConsumerItem } from './ConsumerItem.tsx'
import { FirstCommands } from './ReadGuide.tsx'

const CreateConsumer = lazy(async () => ({ default: (await import('./CreateConsumer.tsx')).CreateConsumer }))

/** The consumers of the workspace, for receivers that fetch their events. */
export function ConsumersCard() {
  const { id, api } = useWorkspace()
  const consumers = useMemo(() => consumersApi(api, id), [api, id])
  return (
    <Card withBorder component="section">
      <Stack gap="sm">
        <Title order={2}>Consumers</Title>
        <Text size="sm">
          Use a consumer if your receiver has no public address. Your program fetches events in order through
          the API, and acknowledges those that it has processed. Unacknowledged events are returned again.
        </Text>
        <Consumers api={consumers} />
      </Stack>
    </Card>
  )
}

function Consumers({ api }: { readonly api: ConsumersApi }) {
  const { mayChange } = useWorkspace()
  const read = useInfiniteQuery(consumersQuery(api))
  const [creating, { open, close }] = useDisclosure(false)
  const consumers = read.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      {read.isPending && <Loading rows={1} />}
      {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
      {read.data !== undefined && consumers.length === 0 && <None api={api} />}
      {consumers.length > 0 && (
        <ul className="ph-entries" aria-label="Consumers">
          {consumers.map((consumer) => (
            <ConsumerItem key={consumer.name} api={api} consumer={consumer} />
          ))}
        </ul>
      )}
      {(read.hasNextPage || mayChange) && (
        <Group gap="xs">
          {read.hasNextPage && (
            <Button
              size="xs"
              variant="default"
              loading={read.isFetchingNextPage}
              onClick={() => void read.fetchNextPage()}
            >
              Show more consumers
            </Button>
          )}
          {mayChange && (
            <Button size="xs" onClick={open}>
              Create a consumer
            </Button>
          )}
        </Group>
      )}
      <Dialog opened={creating} onClose={close} title="Create a consumer" size="lg">
        <CreateConsumer api={api} onClose={close} />
      </Dialog>
    </>
  )
}

function None({ api }: { readonly api: ConsumersApi }) {
  const { mayChange } = useWorkspace()
  return (
    <>
      <Text size="sm">
        <b>No consumers yet.</b>{' '}
        {mayChange ? 'Create one here or' : 'An owner can create one here, or you can'} with the API:
      </Text>
      <FirstCommands api={api} />
    </>
  )
}
