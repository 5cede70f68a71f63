import { Button, Group, Stack, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { isProblem } from '../../../api/problem.ts'
import { ManualSendsLeft } from '../../../shared/manualSends/ManualSendsLeft.tsx'
import { TooManySends } from '../../../shared/manualSends/TooManySends.tsx'
import { useManualSendsLeft } from '../../../shared/manualSends/useManualSendsLeft.ts'
import { Failure } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { deliveryQuery, useDelivery } from '../../delivery/useDelivery.ts'
import { TestTypeSelect } from './TestTypeSelect.tsx'

const WatchedDelivery = lazy(async () => ({
  default: (await import('./WatchedDelivery.tsx')).WatchedDelivery,
}))

/** Sends a test event and shows its result. */
export function TestAndWatch(props: {
  readonly webhookId: string
  /** Of the webhook; empty: all. */
  readonly eventTypes: readonly string[]
  /** Why a test cannot be sent now. */
  readonly blocked?: string | null
}) {
  const { id: ws, service } = useWorkspace()
  const { webhookId, eventTypes, blocked = null } = props
  const left = useManualSendsLeft(webhookId)
  const [type, setType] = useState<string | null>(null)
  const queryClient = useQueryClient()
  const send = useMutation({
    mutationFn: () => service.sendTest({ id: webhookId, type }),
    onSuccess: ({ delivery }) => {
      queryClient.setQueryData(deliveryQuery(ws, service, webhookId, delivery.id).queryKey, delivery)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhook-summary', ws, webhookId] }),
  })
  const sent = send.data ?? null
  return (
    <Stack gap="sm">
      <TestTypeSelect eventTypes={eventTypes} type={type} onChange={setType} />
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          disabled={blocked !== null}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {sent === null ? 'Send a test' : 'Send another test'}
        </Button>
        <ManualSendsLeft remaining={left ?? sent?.remaining ?? null} />
      </Group>
      {blocked !== null && (
        <Text size="sm" c="dimmed">
          {blocked}
        </Text>
      )}
      {send.isError &&
        (isProblem(send.error, 'rate_limited') ? (
          <TooManySends problem={send.error} at={send.submittedAt} />
        ) : (
          <Failure error={send.error} />
        ))}
      {sent !== null && <Watched key={sent.delivery.id} webhookId={webhookId} id={sent.delivery.id} />}
    </Stack>
  )
}

function Watched({ webhookId, id }: { readonly webhookId: string; readonly id: string }) {
  const { id: ws } = useWorkspace()
  const queryClient = useQueryClient()
  const delivery = useDelivery(webhookId, id)
  const attempts = delivery.data?.attempts.length ?? 0
  // Keeps the rest of the page consistent.
  useEffect(() => {
    if (attempts === 0) return
    void queryClient.invalidateQueries({ queryKey: ['deliveries', ws, 'recent', webhookId] })
    void queryClient.invalidateQueries({ queryKey: ['webhook-summary', ws, webhookId] })
  }, [attempts, queryClient, ws, webhookId])
  if (delivery.data === undefined) return null
  return (
    <Suspense fallback={null}>
      <WatchedDelivery delivery={delivery.data} />
    </Suspense>
  )
}
