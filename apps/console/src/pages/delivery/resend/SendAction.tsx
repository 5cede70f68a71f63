import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SendsLeft } from './SendsLeft.tsx'
import classes from './sendAction.module.css'

/** A button that sends a delivery, with its help. @param blocked why it cannot be used @param small in a row of a list */
export function SendAction(props: {
  readonly webhookId: string
  readonly blocked: string | null
  readonly help: string
  readonly small: boolean
  readonly children: ReactNode
}) {
  const { webhookId, blocked, help, small, children } = props
  if (small) return children
  return (
    <div className={classes.action}>
      <Group gap="xs">
        {blocked === null ? <SendsLeft webhookId={webhookId} /> : <Text size="sm">{blocked}</Text>}
        {children}
      </Group>
      <Text size="sm" c="dimmed" maw={420}>
        {help}
      </Text>
    </div>
  )
}
