import { Stack, Text } from '@mantine/core'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** How to fetch the events that were missed. @param cursor where the feed has the first of them; `null`: it is not known */
export function CatchUp({ cursor }: { readonly cursor: string | null }) {
  const { slug, service } = useWorkspace()
  const path = service.features.eventsPath(slug)
  return (
    <Stack gap={6}>
      <Text size="sm">
        With an API key, ask for {cursor === null ? 'the events after the last one that you have' : 'them'}.
        They come oldest first, and each answer says where to go on. Skip those whose id you have seen.
      </Text>
      <CodeBlock
        text={`curl "${window.location.origin}${path}?after=${cursor ?? 'LAST_EVENT_ID'}" -H "Authorization: Bearer $API_KEY"`}
        what="command that fetches events"
      />
    </Stack>
  )
}
