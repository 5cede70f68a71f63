import { Button, Group, Loader, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { isProblem } from '../../../../api/problem.ts'
import { serverNow } from '../../../../api/serverNow.ts'
import { counted, deliveriesText } from '../../../../model/numbers.ts'
import { Dialog } from '../../../../shared/Dialog.tsx'
import { TooManySends } from '../../../../shared/manualSends/TooManySends.tsx'
import { Failure } from '../../../../shared/states.tsx'
import { useIdempotencyKey } from '../../../../shared/useIdempotencyKey.ts'
import { useWorkspace } from '../../../../workspace/workspace.tsx'

const HOUR_MS = 3_600_000
const SPANS = [
  { value: '1', label: 'The last hour' },
  { value: '24', label: 'The last 24 hours' },
  { value: '168', label: 'The last 7 days' },
  { value: '720', label: 'The last 30 days' },
]

/** Chooses how far back, says how many deliveries that are, and starts. */
export function RecoverDialog(props: {
  readonly webhookId: string
  readonly opened: boolean
  readonly onClose: () => void
  readonly onStarted: (recoveryId: string) => void
}) {
  const { opened, onClose } = props
  return (
    <Dialog opened={opened} onClose={onClose} title="Recover deliveries">
      {opened && <Choice {...props} />}
    </Dialog>
  )
}

function Choice(props: {
  readonly webhookId: string
  readonly onClose: () => void
  readonly onStarted: (recoveryId: string) => void
}) {
  const { webhookId, onClose, onStarted } = props
  const { id: ws, service } = useWorkspace()
  const [hours, setHours] = useState('24')
  // Counted and started from the same moment, however long somebody thinks about it.
  const since = useMemo(() => new Date(serverNow() - Number(hours) * HOUR_MS).toISOString(), [hours])
  const keyOf = useIdempotencyKey()
  const count = useQuery({
    queryKey: ['recoverable', ws, webhookId, since],
    queryFn: ({ signal }) => service.countRecoverable({ id: webhookId, since, signal }),
  })
  const start = useMutation({
    mutationFn: () => service.recover({ id: webhookId, since, idempotencyKey: keyOf(since) }),
    onSuccess: ({ id }) => onStarted(id),
  })
  const { recoversMissed } = service.features
  const total = count.data?.total ?? 0
  const missed = count.data?.missed
  const ended = total - (recoversMissed ? (missed?.count ?? 0) : 0)
  return (
    <Stack>
      <NativeSelect
        label="Events from"
        data={SPANS}
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value)}
      />
      <Text size="sm" role="status" component="div">
        {count.isPending && (
          <Group gap="xs">
            <Loader size="xs" /> Counting…
          </Group>
        )}
        {count.isSuccess &&
          (ended === 0
            ? 'No delivery failed or was canceled in this time.'
            : `${deliveriesText(ended)} failed or ${ended === 1 ? 'was' : 'were'} canceled. Each is sent again with the same id and body, oldest first.`)}
        {missed !== undefined && (missed.count > 0 || missed.hasMore) && (
          <>
            {' '}
            {missed.hasMore && 'At least '}
            {counted(missed.count, 'event')} came while it was paused or disabled.{' '}
            {recoversMissed
              ? 'They are sent too.'
              : 'They are not sent. Your server can read them from the events API.'}
          </>
        )}
      </Text>
      {count.isError && <Failure error={count.error} retry={() => void count.refetch()} />}
      {isProblem(start.error, 'rate_limited') ? (
        <TooManySends problem={start.error} at={start.submittedAt} />
      ) : (
        start.isError && <Failure error={start.error} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={start.isPending}
          disabled={total === 0}
          onClick={() => start.mutate()}
          data-autofocus
        >
          {total === 0 ? 'Recover' : `Recover ${deliveriesText(total)}`}
        </Button>
      </Group>
    </Stack>
  )
}
