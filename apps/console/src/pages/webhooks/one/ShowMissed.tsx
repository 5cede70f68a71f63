import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { MissedEvents } from '../../../api/webhookSummaries.ts'
import { webhookQuery } from '../../../api/webhooks.ts'
import { missedSearch } from '../../../model/eventSearch.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Links to the list of events, filtered by the time and the types of the webhook. */
export function ShowMissed(props: {
  readonly missed: Pick<MissedEvents, 'since' | 'until'>
  readonly text: string
}) {
  const { missed, text } = props
  const workspace = useWorkspace()
  const { id } = useParams({ from: '/w/$ws/webhooks/$id' })
  const { data } = useQuery({ ...webhookQuery(workspace, id), refetchInterval: false })
  if (data === undefined) return null
  const search = missedSearch(missed, data.webhook.eventTypes)
  return (
    <Anchor
      size="sm"
      underline="always"
      renderRoot={(root) => (
        <Link {...root} to="/w/$ws/event-log" params={{ ws: workspace.ref }} search={search} />
      )}
    >
      {text}
    </Anchor>
  )
}
