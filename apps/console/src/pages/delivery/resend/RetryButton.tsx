import { Button } from '@mantine/core'
import { IconPlayerSkipForward } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { summaryQuery } from '../../../api/webhookSummaries.ts'
import { RETRY_HELP, RETRY_LABEL } from '../../../model/sendWords.ts'
import { showDone } from '../../../shared/notify.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { deliveryQuery } from '../useDelivery.ts'
import { ResendRefused } from './ResendRefused.tsx'
import { refreshEvent } from './refreshEvent.ts'
import { type ResendProps, SMALL } from './resendProps.ts'
import { SendAction } from './SendAction.tsx'
import { useSendBlock } from './useSendBlock.ts'
import { withRequests } from './withRequests.ts'

/** Retries a pending delivery now. @param small in a row of a list */
export function RetryButton({ delivery, small = false }: ResendProps) {
  const { id: ws, service, maySend } = useWorkspace()
  const queryClient = useQueryClient()
  const { webhookId, id, status } = delivery
  const blocked = useSendBlock(webhookId, 'retry this delivery', small)
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
      <SendAction webhookId={webhookId} blocked={blocked} help={RETRY_HELP} small={small}>
        <Button
          {...(small ? SMALL : {})}
          leftSection={<IconPlayerSkipForward size={16} />}
          disabled={blocked !== null}
          {...(small ? { title: blocked ?? RETRY_HELP } : {})}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          {RETRY_LABEL}
        </Button>
      </SendAction>
      <ResendRefused
        error={refused}
        at={retry.submittedAt}
        webhookId={webhookId}
        onClose={() => setRefused(null)}
      />
    </>
  )
}
