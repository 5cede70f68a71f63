import { Button, Group, Stack, Text } from '@mantine/core'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useStateChange } from './useWebhookChange.ts'

/** Explains the consequences of disabling a webhook, and disables it. */
export function DisableQuestion(props: { readonly webhookId: string; readonly onClose: () => void }) {
  const { webhookId, onClose } = props
  const { noun, canPause, recoversMissed } = useWorkspace().service.features
  const disable = useStateChange(
    webhookId,
    { enabled: false },
    { done: `The ${noun} was disabled.`, failed: `The ${noun} was not disabled` },
  )
  return (
    <Stack>
      <Text size="sm">
        Pending deliveries are canceled. New events are skipped{' '}
        {recoversMissed
          ? `until you enable the ${noun} again. Then you can recover them.`
          : 'and are not sent later. Your server can read them from the events API.'}
        {canPause && ` To stop temporarily and keep pending deliveries, pause the ${noun} instead.`}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button
          color="red"
          loading={disable.isPending}
          onClick={() => disable.mutate(undefined, { onSettled: onClose })}
        >
          Disable {noun}
        </Button>
      </Group>
    </Stack>
  )
}
