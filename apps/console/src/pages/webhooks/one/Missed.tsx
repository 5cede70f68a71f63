import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { webhookQuery } from '../../../api/webhooks.ts'
import { missedSearch } from '../../../model/eventSearch.ts'
import { counted, countText } from '../../../model/numbers.ts'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

const CatchUp = lazy(async () => ({ default: (await import('./CatchUp.tsx')).CatchUp }))

type MissedEvents = NonNullable<DetailedWebhookSummary['missed']>

/** How many events a webhook did not get while it was off or paused, of which types, and how to fetch them. */
export function Missed({ missed }: { readonly missed: MissedEvents }) {
  const { earlier, since } = missed
  return (
    <>
      <Latest missed={missed} />
      {earlier !== null && <Earlier earlier={earlier} until={since} />}
    </>
  )
}

/** What it missed when it was off or paused before. */
function Earlier(props: { readonly earlier: NonNullable<MissedEvents['earlier']>; readonly until: string }) {
  const { earlier, until } = props
  const { recoversMissed } = useWorkspace().service.features
  const { count, more, since } = earlier
  return (
    <Text size="sm" component="div">
      It{' '}
      {count === 0 ? 'may have missed events' : `missed ${more ? 'at least ' : ''}${counted(count, 'event')}`}{' '}
      in earlier pauses, the first of which began <Time at={since} as="short" />.{' '}
      {recoversMissed && 'Recover sends them. '}
      <ShowThem missed={{ since, until }} text="Show the events of that time" />
    </Text>
  )
}

/** What it misses now or, while it is on, missed when it was off or paused last. */
function Latest({ missed }: { readonly missed: MissedEvents }) {
  const [unfolded, setUnfolded] = useState(false)
  const { recoversMissed } = useWorkspace().service.features
  const { count, more, since, until, types } = missed
  if (count === 0 && !more) {
    return until === null ? <Text size="sm">It has missed no event since.</Text> : null
  }
  return (
    <Stack gap={6} w="100%">
      <Text size="sm" component="div">
        It {until === null ? 'has missed' : 'missed'}{' '}
        <Text span inherit fw={600} className="ph-numbers">
          {more ? 'at least ' : ''}
          {counted(count, 'event')}
        </Text>{' '}
        {until === null ? (
          <>
            since <Time at={since} as="short" />
          </>
        ) : (
          <>
            from <Time at={since} as="short" /> to <Time at={until} as="short" />, while it was off or paused
          </>
        )}
        {types.length > 1 && (
          <>
            {' ('}
            <Types types={types} />)
          </>
        )}
        {'. '}
        {recoversMissed
          ? 'Recover sends them.'
          : 'They are not sent later, and cannot be sent from here. Your server can read them from the events API.'}{' '}
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          {unfolded ? 'Hide how' : 'Show how'}
        </Anchor>
        {' · '}
        <ShowThem missed={missed} text="Show these events" />
      </Text>
      {unfolded && (
        <Suspense fallback={null}>
          <CatchUp cursor={missed.cursor} />
        </Suspense>
      )}
    </Stack>
  )
}

/** Leads to the list of events, narrowed to the time and to the types of the webhook. */
function ShowThem(props: { readonly missed: Pick<MissedEvents, 'since' | 'until'>; readonly text: string }) {
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

const Types = ({ types }: Pick<MissedEvents, 'types'>) =>
  types.map(({ type, count }, index) => (
    <span key={type}>
      {index > 0 && ', '}
      {countText(count)}{' '}
      <Untrusted mono isName>
        {type}
      </Untrusted>
    </span>
  ))
