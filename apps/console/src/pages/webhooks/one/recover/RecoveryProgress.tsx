import '@mantine/core/styles/Progress.css'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { recoveryColor, recoveryText } from '../../../../model/recoveryWords.ts'
import { Failure, Loading } from '../../../../shared/states.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'

const LOOK_EVERY_MS = 1_000

/** How far a recovery is. It goes on while nobody looks. */
export function RecoveryProgress({ webhookId, id }: { readonly webhookId: string; readonly id: string }) {
  const { id: ws, service } = useWorkspace()
  const queryClient = useQueryClient()
  const queryKey = ['recovery', ws, id]
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => service.getRecovery({ webhookId, id, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LOOK_EVERY_MS : false),
  })
  const cancel = useMutation({
    mutationFn: () => service.cancelRecovery({ webhookId, id }),
    onSuccess: (recovery) => queryClient.setQueryData(queryKey, recovery),
  })
  if (query.data === undefined) {
    return query.isError ? (
      <Failure error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Loading rows={1} />
    )
  }
  const { status, total, done } = query.data
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status" className="ph-numbers">
          {recoveryText(query.data)}
        </Text>
        {status === 'running' && (
          <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the recovery
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
