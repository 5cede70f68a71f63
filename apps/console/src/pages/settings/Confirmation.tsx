import { Button, Group, Stack, Text } from '@mantine/core'
import { Dialog } from '../../shared/Dialog.tsx'

/** Asks for confirmation of an action, with its consequence. */
export function Confirmation(props: {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  readonly consequence: string
  readonly action: string
  readonly color?: string
  readonly pending: boolean
  readonly onConfirm: () => void
}) {
  const { opened, onClose, title, consequence, action, color, pending, onConfirm } = props
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{consequence}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={pending} onClick={onConfirm} {...(color === undefined ? {} : { color })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
