import '@mantine/core/styles/Progress.css'
import { Alert, Button, Group, List, Paper, Progress, Stack, Text } from '@mantine/core'
import { IconPlayerTrackPrev } from '@tabler/icons-react'
import type { Delivery } from '../../../model/delivery.ts'
import { deliveriesText } from '../../../model/numbers.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import type { ReplayEachState, useReplayEach } from './useReplayEach.ts'

/** Actions for selected rows, and their progress. @param replay state of a started replay */
export function SelectionBar(props: {
  readonly chosen: readonly Delivery[]
  readonly replay: ReturnType<typeof useReplayEach>
  readonly onClear: () => void
}) {
  const { chosen, replay, onClear } = props
  const from = useWorkspace().service.features.resend?.from ?? []
  const replayable = chosen.filter(({ status }) => from.includes(status))
  const close = () => {
    replay.reset()
    onClear()
  }
  return (
    <Paper
      withBorder
      shadow="md"
      p="sm"
      className="ph-selection"
      component="section"
      aria-label="Selected deliveries"
    >
      {replay.state !== null && <Outcome state={replay.state} running={replay.running} onClose={close} />}
      {replay.state === null && (
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={550}>
            {chosen.length} selected
          </Text>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={onClear}>
              Clear selection
            </Button>
            <Button
              size="xs"
              leftSection={<IconPlayerTrackPrev size={15} />}
              disabled={replayable.length === 0}
              onClick={() => replay.run(replayable)}
            >
              Replay {deliveriesText(replayable.length)}
            </Button>
          </Group>
        </Group>
      )}
    </Paper>
  )
}

function Outcome(props: {
  readonly state: ReplayEachState
  readonly running: boolean
  readonly onClose: () => void
}) {
  const { state, running, onClose } = props
  const { total, replayed, refusals } = state
  const refused = [...refusals.values()].reduce((sum, count) => sum + count, 0)
  const done = replayed.length + refused
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={550} role="status">
          {running
            ? `Replaying: ${done} of ${total}`
            : `${replayed.length} of ${total} replayed${refused > 0 ? `, ${refused} rejected` : ''}`}
        </Text>
        {!running && (
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        )}
      </Group>
      <Progress value={(done / total) * 100} color={refused > 0 ? 'yellow' : 'horn'} aria-label="Progress" />
      {refused > 0 && (
        <Alert color="yellow" variant="light" py="xs">
          <List size="sm">
            {[...refusals].map(([reason, count]) => (
              <List.Item key={reason}>
                {count}: <Untrusted>{reason}</Untrusted>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}
