import { Card, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Big, Stat } from './Stat.tsx'

/** A metric in large type. @param detail a smaller line below */
export function BigNumber(props: {
  readonly label: string
  readonly value: string
  readonly detail?: ReactNode
}) {
  return (
    <Card withBorder padding="md" h="100%">
      <Stat label={props.label}>
        <Big>{props.value}</Big>
        {props.detail !== undefined && (
          <Text size="xs" c="dimmed" component="div">
            {props.detail}
          </Text>
        )}
      </Stat>
    </Card>
  )
}
