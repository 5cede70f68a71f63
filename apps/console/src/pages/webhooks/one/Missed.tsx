import { Anchor, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { counted } from '../../../model/numbers.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { Time } from '../../../shared/Time.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** How many events a webhook did not get while it was off or paused, and how to fetch them. */
export function Missed({ missed }: { readonly missed: NonNullable<DetailedWebhookSummary['missed']> }) {
  const [unfolded, setUnfolded] = useState(false)
  const { count, more, since } = missed
  if (count === 0 && !more) {
    return <Text size="sm">It has missed no event since.</Text>
  }
  return (
    <Stack gap={6} w="100%">
      <Text size="sm" component="div">
        It has missed{' '}
        <Text span inherit fw={600} className="ph-numbers">
          {more ? 'at least ' : ''}
          {counted(count, 'event')}
        </Text>{' '}
        since <Time at={since} as="short" />. What it missed is not delivered later, but your server can fetch
        it.{' '}
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          {unfolded ? 'Hide how' : 'Show how'}
        </Anchor>
      </Text>
      {unfolded && <CatchUp />}
    </Stack>
  )
}

function CatchUp() {
  const { slug, service } = useWorkspace()
  const path = service.features.eventsPath(slug)
  return (
    <Stack gap={6}>
      <Text size="sm">
        With an API key, ask for the events after the last one that you have. They come oldest first, and each
        answer says where to go on. Skip those whose id you have seen.
      </Text>
      <CodeBlock
        text={`curl "${window.location.origin}${path}?after=LAST_EVENT_ID" -H "Authorization: Bearer $API_KEY"`}
        what="command that fetches events"
      />
    </Stack>
  )
}
