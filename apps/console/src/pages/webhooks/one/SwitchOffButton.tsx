import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Dialog } from '../../../shared/Dialog.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useSwitch } from './useWebhookChange.ts'

export function SwitchOffButton({ id }: { readonly id: string }) {
  const [opened, { open, close }] = useDisclosure(false)
  const { noun, canPause, recoversMissed } = useWorkspace().service.features
  const switchOff = useSwitch(
    id,
    { enabled: false },
    { done: `The ${noun} is off.`, failed: `The ${noun} was not switched off` },
  )
  return (
    <>
      <Button variant="default" onClick={open}>
        Switch off
      </Button>
      <Dialog opened={opened} onClose={close} title={`Switch this ${noun} off?`}>
        <Stack>
          <Text size="sm">
            Pending deliveries are canceled, and new events are not sent to it.{' '}
            {recoversMissed
              ? `Recover sends them after you switch the ${noun} on again.`
              : 'They are not sent later. Your server can read them from the events API.'}
            {canPause && ' To hold deliveries back for a while, pause it instead.'}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button
              color="red"
              loading={switchOff.isPending}
              onClick={() => switchOff.mutate(undefined, { onSettled: close })}
            >
              Switch off
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
