import { Card, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** One figure that is seen from afar. @param detail a smaller line below */
export function BigNumber(props: {
  readonly label: string
  readonly value: string
  readonly detail?: ReactNode
}) {
  return (
    <Card withBorder padding="md" h="100%">
      <Stack gap={2}>
        <Text size="sm" c="dimmed">
          {props.label}
        </Text>
        <Text fz={26} fw={650} lh={1.2} className="ph-numbers">
          {props.value}
        </Text>
        {props.detail !== undefined && (
          <Text size="xs" c="dimmed" component="div">
            {props.detail}
          </Text>
        )}
      </Stack>
    </Card>
  )
}
