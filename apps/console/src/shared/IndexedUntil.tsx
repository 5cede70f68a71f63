import { Text } from '@mantine/core'
import { Time } from './Time.tsx'

/** Warns that the newest events are not indexed for search yet. */
export function IndexedUntil({ until }: { readonly until: string | null | undefined }) {
  if (until == null) return null
  return (
    <Text size="xs" c="dimmed" component="div" role="status">
      Events after <Time at={until} as="short" /> may be missing until they are indexed.
    </Text>
  )
}
