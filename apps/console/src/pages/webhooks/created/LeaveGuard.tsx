import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { isStartingAfresh } from '../../../api/session.ts'

/** Asks before a page is left on which a secret stands that was not stored yet. */
export function LeaveGuard({ active }: { readonly active: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => active && current.pathname !== next.pathname,
    enableBeforeUnload: () => active && !isStartingAfresh(),
    withResolver: true,
  })
  return (
    <Modal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without the secret?"
    >
      <Stack>
        <Text size="sm">
          You have not confirmed that you stored the signing secret. It is shown nowhere else: without it your
          server cannot check what arrives, and you have to make a new one.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave anyway
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()}>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
