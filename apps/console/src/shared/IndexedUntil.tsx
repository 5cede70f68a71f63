import { Text } from '@mantine/core'
import { Time } from './Time.tsx'

/** Until when a search has everything, where it has not. */
export function IndexedUntil({ until }: { readonly until: string | null | undefined }) {
  if (until == null) return null
  return (
    <Text size="xs" c="dimmed" component="div" role="status">
      Events after <Time at={until} as="short" /> may be missing until they are indexed.
    </Text>
  )
}
