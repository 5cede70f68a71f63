import { Button, Group, Stack, Text } from '@mantine/core'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useSwitch } from './useWebhookChange.ts'

/** Says what it costs to switch a webhook off, and does it. */
export function SwitchOffQuestion(props: { readonly webhookId: string; readonly onClose: () => void }) {
  const { webhookId, onClose } = props
  const { noun, canPause, recoversMissed } = useWorkspace().service.features
  const switchOff = useSwitch(
    webhookId,
    { enabled: false },
    { done: `The ${noun} is off.`, failed: `The ${noun} was not switched off` },
  )
  return (
    <Stack>
      <Text size="sm">
        Pending deliveries are canceled, and new events are not sent to it.{' '}
        {recoversMissed
          ? `Recover sends them after you switch the ${noun} on again.`
          : 'They are not sent later. Your server can read them from the events API.'}
        {canPause && ' To hold deliveries back for a while, pause it instead.'}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button
          color="red"
          loading={switchOff.isPending}
          onClick={() => switchOff.mutate(undefined, { onSettled: onClose })}
        >
          Switch off
        </Button>
      </Group>
    </Stack>
  )
}
