import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isStartingAfresh } from '../api/session.ts'

/** Asks before the user leaves a page with unsaved content. @param children what would be lost */
export function LeaveGuard(props: {
  readonly active: boolean
  readonly title: string
  readonly children: ReactNode
}) {
  const { active, title, children } = props
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => active && current.pathname !== next.pathname,
    enableBeforeUnload: () => active && !isStartingAfresh(),
    withResolver: true,
  })
  return (
    <Modal opened={blocker.status === 'blocked'} onClose={() => blocker.reset?.()} title={title}>
      <Stack>
        <Text size="sm">{children}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave page
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()}>
            Stay on page
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
