import '@mantine/core/styles/Progress.css'
import { Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryClient } from '../../api/queries.ts'
import { countText, deliveriesText } from '../../model/numbers.ts'
import type { Replay } from '../../model/service.ts'
import { Failure, Loading } from '../../shared/states.tsx'
import { Time } from '../../shared/Time.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { useWebhookNames } from '../deliveries/useWebhookNames.ts'

const LOOK_EVERY_MS = 1_000

/** Progress of a replay, which runs in the service. */
export function ReplayProgress({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { id: ws, mayChange, service } = useWorkspace()
  const query = useQuery({
    queryKey: ['replay', ws, id],
    queryFn: ({ signal }) => service.getReplay({ id, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'finished' ? false : LOOK_EVERY_MS),
  })
  const finished = query.data?.status === 'finished'
  useEffect(() => {
    if (finished) void queryClient.invalidateQueries({ queryKey: ['replayable', ws] })
  }, [finished, ws])
  const other = (
    <Button variant="default" onClick={onDone}>
      {mayChange ? 'Replay other deliveries' : 'Back'}
    </Button>
  )
  if (query.data === undefined) {
    if (!query.isError) return <Loading rows={2} />
    return (
      <Stack align="flex-start">
        <Failure error={query.error} retry={() => void query.refetch()} />
        {other}
      </Stack>
    )
  }
  return (
    <Card withBorder>
      <Stack>
        <ReplaySummary replay={query.data} />
        <Group gap="xs">
          <ShowThem replay={query.data} />
          {other}
        </Group>
      </Stack>
    </Card>
  )
}

function ReplaySummary({ replay }: { readonly replay: Replay }) {
  const names = useWebhookNames()
  const { noun } = useWorkspace().service.features
  const { status, total, replayed, webhookId, eventType, from, to, createdAt, finishedAt } = replay
  const finished = status === 'finished'
  // More deliveries may be replayed than were counted at the start.
  const share = finished ? 100 : total === 0 ? 0 : Math.min(99, (replayed / total) * 100)
  return (
    <>
      <Group gap="xs" role="status">
        {finished && <IconCheck size={20} color="var(--ph-good)" aria-hidden />}
        <Title order={2}>
          {finished
            ? `${deliveriesText(replayed)} ${replayed === 1 ? 'was' : 'were'} replayed`
            : `Replaying: ${countText(replayed)} of ${countText(Math.max(total, replayed))}`}
        </Title>
      </Group>
      <Progress
        value={share}
        animated={!finished}
        color={finished ? 'green' : 'horn'}
        size="lg"
        aria-label="Progress of the replay"
      />
      <Text size="sm" c="dimmed" component="div">
        {webhookId === null ? `All ${noun}s` : <Untrusted>{names.get(webhookId) ?? webhookId}</Untrusted>}
        {' · '}
        {eventType === null ? 'all event types' : <Untrusted isName>{eventType}</Untrusted>}
        {from !== null && (
          <>
            {' · from '}
            <Time at={from} />
          </>
        )}
        {to !== null && (
          <>
            {' · to '}
            <Time at={to} />
          </>
        )}
        <br />
        Started <Time at={createdAt} />
        {finishedAt !== null && (
          <>
            , finished <Time at={finishedAt} />
          </>
        )}
        {!finished && '. The replay continues if you leave this page.'}
      </Text>
    </>
  )
}

/** Links to the list of deliveries with the filters of the replay. */
function ShowThem({ replay: { webhookId, eventType, from, to } }: { readonly replay: Replay }) {
  const { ref } = useWorkspace()
  const search = {
    webhook: webhookId ?? undefined,
    type: eventType ?? undefined,
    from: from ?? undefined,
    to: to ?? undefined,
  }
  return (
    <Button
      renderRoot={(root) => <Link {...root} to="/w/$ws/deliveries" params={{ ws: ref }} search={search} />}
    >
      Show deliveries
    </Button>
  )
}
