import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import type { ConsumersApi } from '../../../api/consumers.ts'
import type { Consumer } from '../../../model/consumer.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { EventTypeBadges } from '../../../shared/EventTypeBadges.tsx'
import { showDone, showFailure } from '../../../shared/notify.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { Confirmation } from '../Confirmation.tsx'
import { LagBadge, Progress, Warnings } from './ConsumerProgress.tsx'
import { ReadGuide } from './ReadGuide.tsx'

const MoveConsumer = lazy(async () => ({ default: (await import('./MoveConsumer.tsx')).MoveConsumer }))

interface Props {
  readonly api: ConsumersApi
  readonly consumer: Consumer
}

/** A consumer: its event types, position and actions. */
export function ConsumerItem({ api, consumer }: Props) {
  const { name, eventTypes } = consumer
  return (
    <Box component="li" className="ph-entry" py="sm">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Stack gap={6} style={{ flex: '1 1 260px', minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={600} component="div" className="ph-wrap">
              <Untrusted mono>{name}</Untrusted>
            </Text>
            <LagBadge lag={consumer.lag} />
            <EventTypeBadges types={eventTypes ?? []} />
          </Group>
          <Progress consumer={consumer} />
          <Warnings consumer={consumer} />
        </Stack>
        <Actions api={api} consumer={consumer} />
      </Group>
    </Box>
  )
}

function Actions({ api, consumer }: Props) {
  const { mayChange } = useWorkspace()
  const { name } = consumer
  const [asked, setAsked] = useState<'read' | 'move' | 'delete' | null>(null)
  const close = () => setAsked(null)
  const remove = useRemoval(api, name, close)
  const opener = (what: 'read' | 'move' | 'delete', text: string) => (
    <Button
      size="xs"
      variant="default"
      {...(what === 'delete' ? { color: 'red' } : {})}
      aria-label={`${text} ${name}`}
      onClick={() => setAsked(what)}
    >
      {text}
    </Button>
  )
  return (
    <Group gap="xs">
      {opener('read', 'Show how to read')}
      {mayChange && opener('move', 'Move consumer')}
      {mayChange && opener('delete', 'Delete consumer')}
      <Dialog opened={asked === 'read'} onClose={close} title={`How to read the consumer ${name}`} size="lg">
        <ReadGuide api={api} name={name} />
      </Dialog>
      <Dialog opened={asked === 'move'} onClose={close} title={`Move the consumer ${name}?`}>
        <MoveConsumer api={api} consumer={consumer} onClose={close} />
      </Dialog>
      <Confirmation
        opened={asked === 'delete'}
        onClose={close}
        title={`Delete the consumer ${name}?`}
        consequence="Programs that read it get no more events, and its position in the feed is lost. The events are kept. This cannot be undone."
        action="Delete consumer"
        color="red"
        pending={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </Group>
  )
}

function useRemoval(api: ConsumersApi, name: string, onEnd: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => api.remove(name),
    onSuccess: () => showDone(`The consumer ${name} was deleted.`),
    onError: (error) => showFailure(`The consumer ${name} was not deleted`, error),
    onSettled: () => {
      onEnd()
      return queryClient.invalidateQueries({ queryKey: api.queryKey })
    },
  })
}
