import { Alert, Stack } from '@mantine/core'
import { IconGitMerge } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'

/** Notice about a conflicting change. It takes the focus, since it appears away from the save button. */
export function ChangedByOthers({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => notice.current?.focus(), [])
  return (
    <Alert
      ref={notice}
      tabIndex={-1}
      color="yellow"
      variant="light"
      role="alert"
      icon={<IconGitMerge size={20} />}
      title={title}
      // Without this, a wide table is cut off on narrow screens.
      styles={{ body: { minWidth: 0 } }}
    >
      <Stack gap="sm">{children}</Stack>
    </Alert>
  )
}
