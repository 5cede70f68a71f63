import { Text } from '@mantine/core'

/** Says so when a list has more than what is shown of it. */
export function OnlyNewest(props: {
  readonly page: { readonly data: readonly unknown[]; readonly next_cursor: string | null } | undefined
}) {
  const { page } = props
  if (page === undefined || page.next_cursor === null) return null
  return (
    <Text size="xs" c="dimmed">
      The newest {page.data.length}. The provisioning API lists all.
    </Text>
  )
}
