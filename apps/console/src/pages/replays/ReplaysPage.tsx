import { Alert, Stack, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReplaySearch } from '../../model/deliverySearch.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { NewReplay } from './NewReplay.tsx'
import { ReplayProgress } from './ReplayProgress.tsx'

/** Replays many dead deliveries at once. */
export function ReplaysPage() {
  const { ref, mayChange, service } = useWorkspace()
  const { canReplayMany, statuses } = service.features
  const search: ReplaySearch = useSearch({ from: '/w/$ws/replays' })
  const navigate = useNavigate()
  const show = (shown: ReplaySearch) =>
    void navigate({ to: '/w/$ws/replays', params: { ws: ref }, search: shown, resetScroll: false })
  return (
    <PageFrame
      title="Replay"
      lead={
        'A delivery is dead once all of its attempts have failed. A replay makes dead deliveries pending again: each restarts its retry schedule.'
      }
    >
      {!canReplayMany && (
        <Text size="sm">
          {statuses.includes('dead')
            ? 'This service cannot replay many deliveries at once.'
            : 'This service has no dead deliveries. Redeliver finished deliveries one by one.'}
        </Text>
      )}
      {canReplayMany && (
        <Stack gap="lg">
          {search.replay !== undefined && <ReplayProgress id={search.replay} onDone={() => show({})} />}
          {search.replay === undefined && mayChange && <NewReplay search={search} onChange={show} />}
          {search.replay === undefined && !mayChange && (
            <Alert color="gray" variant="light" title="Only owners can replay">
              Ask an owner of this workspace to replay deliveries.
            </Alert>
          )}
        </Stack>
      )}
    </PageFrame>
  )
}
