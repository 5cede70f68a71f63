import { Button, Group, Text } from '@mantine/core'
import { IconPlayerSkipForward } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { summaryQuery } from '../../../api/webhookSummaries.ts'
import { showDone } from '../../../shared/notify.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { deliveryQuery } from '../useDelivery.ts'
import { ResendRefused } from './ResendRefused.tsx'
import { refreshEvent } from './refreshEvent.ts'
import { type ResendProps, SMALL } from './resendProps.ts'
import { SendsLeft } from './SendsLeft.tsx'
import { useSendBlock } from './useSendBlock.ts'
import { withRequests } from './withRequests.ts'

/** Retries a pending delivery now. @param small in a row of a list */
export function RetryButton({ delivery, small = false }: ResendProps) {
  const { id: ws, service, maySend } = useWorkspace()
  const queryClient = useQueryClient()
  const { webhookId, id, status } = delivery
  const blocked = useSendBlock(webhookId, 'retry', small)
  const [refused, setRefused] = useState<unknown>(null)
  const retry = useMutation({
    mutationFn: () => service.retry({ webhookId, id }),
    onSuccess: ({ delivery: sent }) => {
      const { queryKey } = deliveryQuery(ws, service, webhookId, id)
      queryClient.setQueryData(queryKey, (before) => withRequests(sent, before))
      showDone('The delivery is retried now. This uses one of its attempts.')
      void queryClient.invalidateQueries(summaryQuery(ws, webhookId))
      refreshEvent(queryClient, ws)
    },
    onError: setRefused,
  })
  if (!maySend || !service.features.canRetry || status !== 'pending') return null
  return (
    <>
      <Group gap="xs">
        {!small &&
          (blocked === null ? <SendsLeft webhookId={webhookId} /> : <Text size="sm">{blocked}</Text>)}
        <Button
          {...(small ? SMALL : {})}
          leftSection={<IconPlayerSkipForward size={16} />}
          disabled={blocked !== null}
          {...(small && blocked !== null ? { title: blocked } : {})}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry now
        </Button>
      </Group>
      <ResendRefused
        error={refused}
        at={retry.submittedAt}
        webhookId={webhookId}
        onClose={() => setRefused(null)}
      />
    </>
  )
}
