import { Button, Group, Stack, Text } from '@mantine/core'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useStateChange } from './useWebhookChange.ts'

/** Explains the consequences of a pause, and pauses. */
export function PauseQuestion(props: { readonly webhookId: string; readonly onClose: () => void }) {
  const { webhookId, onClose } = props
  const { noun, pauseHolds, recoversMissed } = useWorkspace().service.features
  const pause = useStateChange(
    webhookId,
    { paused: true },
    { done: `The ${noun} was paused.`, failed: `The ${noun} was not paused` },
  )
  return (
    <Stack>
      <Text size="sm">
        {pauseHolds
          ? 'Events published while it is paused wait, and are sent after you resume it.'
          : recoversMissed
            ? 'Events published while it is paused are skipped. After you resume it, you can recover them.'
            : 'Events published while it is paused are skipped. They are not sent later. Your server can read them from the events API.'}{' '}
        Pending deliveries wait, and are sent after you resume it.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={pause.isPending}
          onClick={() => pause.mutate(undefined, { onSettled: onClose })}
          data-autofocus
        >
          Pause {noun}
        </Button>
      </Group>
    </Stack>
  )
}
