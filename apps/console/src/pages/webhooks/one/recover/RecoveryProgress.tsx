import '@mantine/core/styles/Progress.css'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { recoveryColor, recoveryText } from '../../../../model/recoveryWords.ts'
import { Failure, Loading } from '../../../../shared/states.tsx'
import { Time } from '../../../../shared/Time.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'

const LOOK_EVERY_MS = 2_000

/** Progress of a recovery, which runs in the service. */
export function RecoveryProgress({ webhookId, id }: { readonly webhookId: string; readonly id: string }) {
  const { id: ws, service } = useWorkspace()
  const queryClient = useQueryClient()
  const queryKey = ['recovery', ws, webhookId, id]
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => service.getRecovery({ webhookId, id, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LOOK_EVERY_MS : false),
  })
  const cancel = useMutation({
    mutationFn: () => service.cancelRecovery({ webhookId, id }),
    onSuccess: (recovery) => queryClient.setQueryData(queryKey, recovery),
  })
  const status = query.data?.status
  const statusBefore = useRef(status)
  useEffect(() => {
    // Refreshes the page when the recovery has ended.
    if (statusBefore.current === 'running' && status !== 'running') {
      void queryClient.invalidateQueries({ queryKey: ['deliveries', ws, 'recent', webhookId] })
      void queryClient.invalidateQueries({ queryKey: ['webhook-summary', ws, webhookId] })
    }
    statusBefore.current = status
  }, [status, queryClient, ws, webhookId])
  if (query.data === undefined) {
    return query.isError ? (
      <Failure error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Loading rows={1} />
    )
  }
  const { total, done, createdAt } = query.data
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" component="div">
          <Text inherit role="status" className="ph-numbers">
            {recoveryText(query.data)}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {status === 'running' ? 'Started' : 'The last recovery started'}{' '}
            <Time at={createdAt} as="relative" />
          </Text>
        </Text>
        {status === 'running' && (
          <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel recovery
          </Button>
        )}
      </Group>
      <Progress
        value={total === 0 ? 100 : (done / total) * 100}
        animated={status === 'running'}
        color={recoveryColor(query.data)}
        aria-label="Progress of the recovery"
      />
      {cancel.isError && <Failure error={cancel.error} />}
    </Stack>
  )
}
