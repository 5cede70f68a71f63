import { Stack, Text } from '@mantine/core'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** How to fetch missed events. @param cursor position of the first one in the feed; `null`: unknown */
export function CatchUp({ cursor }: { readonly cursor: string | null }) {
  const { slug, service } = useWorkspace()
  const path = service.features.eventsPath(slug)
  return (
    <Stack gap={6}>
      <Text size="sm">
        With an API key, fetch {cursor === null ? 'the events after the last one that you have' : 'them'}.
        They are returned oldest first, and each response contains the next cursor. Skip events that you
        already have.
      </Text>
      <CodeBlock
        text={`curl "${window.location.origin}${path}?after=${cursor ?? 'LAST_EVENT_ID'}" -H "Authorization: Bearer $API_KEY"`}
        what="command that fetches events"
      />
    </Stack>
  )
}
