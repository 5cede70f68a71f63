import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Dialog } from '../../../shared/Dialog.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useSwitch } from './useWebhookChange.ts'

export function SwitchOffButton({ id }: { readonly id: string }) {
  const [opened, { open, close }] = useDisclosure(false)
  const { noun, canPause } = useWorkspace().service.features
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
            What is pending is canceled, and events that happen from now on are never delivered to it.
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
