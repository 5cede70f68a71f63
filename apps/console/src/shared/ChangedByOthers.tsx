import { Alert, Stack } from '@mantine/core'
import { IconGitMerge } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'

/** Says that somebody else changed what is edited here. It takes the focus, since nobody looks there who has just saved. */
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
    >
      <Stack gap="sm">{children}</Stack>
    </Alert>
  )
}
