import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSwitch } from './useWebhookChange.ts'

export function TurnOffButton({ id }: { readonly id: string }) {
  const [opened, { open, close }] = useDisclosure(false)
  const turnOff = useSwitch(
    id,
    { enabled: false },
    { done: 'The webhook is off.', failed: 'The webhook was not turned off' },
  )
  return (
    <>
      <Button variant="default" onClick={open}>
        Turn off
      </Button>
      <Modal opened={opened} onClose={close} title="Turn this webhook off?">
        <Stack>
          <Text size="sm">
            What is pending is canceled, and events that happen from now on are never delivered to it. To hold
            deliveries back for a while, pause it instead.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button
              color="red"
              loading={turnOff.isPending}
              onClick={() => turnOff.mutate(undefined, { onSettled: close })}
            >
              Turn off
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
