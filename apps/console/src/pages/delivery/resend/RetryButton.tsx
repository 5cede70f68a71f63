import { Button, Group } from '@mantine/core'
import { IconPlayerSkipForward } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { summaryQuery } from '../../../api/webhookSummaries.ts'
import type { Delivery } from '../../../model/delivery.ts'
import { ManualSendsLeft } from '../../../shared/manualSends/ManualSendsLeft.tsx'
import { showDone } from '../../../shared/notify.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { deliveryQuery } from '../useDelivery.ts'
import { ResendRefused } from './ResendRefused.tsx'
import { useManualSendsLeft } from './useManualSendsLeft.ts'
import { withRequests } from './withRequests.ts'

/** Makes the next attempt of a pending delivery now. */
export function RetryButton({ delivery }: { readonly delivery: Delivery }) {
  const { id: ws, service, maySend } = useWorkspace()
  const queryClient = useQueryClient()
  const { webhookId, id, status } = delivery
  const left = useManualSendsLeft(webhookId)
  const [refused, setRefused] = useState<unknown>(null)
  const retry = useMutation({
    mutationFn: () => service.retry({ webhookId, id }),
    onSuccess: ({ delivery: sent }) => {
      const { queryKey } = deliveryQuery(ws, service, webhookId, id)
      queryClient.setQueryData(queryKey, (before) => withRequests(sent, before))
      showDone('The next attempt is made now.')
      void queryClient.invalidateQueries(summaryQuery(ws, webhookId))
    },
    onError: setRefused,
  })
  if (!maySend || !service.features.canRetry || status !== 'pending') return null
  return (
    <>
      <Group gap="xs">
        <ManualSendsLeft remaining={left} />
        <Button
          leftSection={<IconPlayerSkipForward size={16} />}
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
