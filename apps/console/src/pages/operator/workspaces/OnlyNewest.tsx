import { Text } from '@mantine/core'

/** Notice that a list is truncated. */
export function OnlyNewest(props: {
  readonly page: { readonly data: readonly unknown[]; readonly next_cursor: string | null } | undefined
}) {
  const { page } = props
  if (page === undefined || page.next_cursor === null) return null
  return (
    <Text size="xs" c="dimmed">
      The newest {page.data.length} are shown. The admin API lists all.
    </Text>
  )
}
