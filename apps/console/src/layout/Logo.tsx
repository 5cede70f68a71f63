import { Group, Text } from '@mantine/core'

export function Logo() {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/favicon.svg" alt="" width={28} height={28} />
      <Text fw={700} fz="lg" lh={1}>
        Posthorn
      </Text>
    </Group>
  )
}
