import { Button, Group } from '@mantine/core'
import { IconPlayerTrackPrev, IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { summaryQuery } from '../../../api/webhookSummaries.ts'
import type { Delivery } from '../../../model/delivery.ts'
import { capitalized } from '../../../model/words.ts'
import { ManualSendsLeft } from '../../../shared/manualSends/ManualSendsLeft.tsx'
import { showDone } from '../../../shared/notify.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { deliveryQuery } from '../useDelivery.ts'
import { ResendRefused } from './ResendRefused.tsx'
import { useManualSendsLeft } from './useManualSendsLeft.ts'
import { withRequests } from './withRequests.ts'

/** Sends a delivery again, where that can be done now and by whoever looks. */
export function ResendButton({ delivery }: { readonly delivery: Delivery }) {
  const { id: ws, service, maySend } = useWorkspace()
  const queryClient = useQueryClient()
  const { webhookId, id } = delivery
  const { resend: way } = service.features
  const startsOver = way?.attempts === 'schedule'
  const left = useManualSendsLeft(webhookId)
  const [refused, setRefused] = useState<unknown>(null)
  const resend = useMutation({
    mutationFn: () => service.resend({ webhookId, id }),
    onSuccess: ({ delivery: sent }) => {
      const { queryKey } = deliveryQuery(ws, service, webhookId, id)
      queryClient.setQueryData(queryKey, (before) => withRequests(sent, before))
      showDone(startsOver ? 'It starts over with all of its attempts.' : 'It is sent once more.')
      void queryClient.invalidateQueries(summaryQuery(ws, webhookId))
      void queryClient.invalidateQueries({ queryKey: ['replayable', ws] })
    },
    onError: setRefused,
  })
  if (!maySend || way === null) return null
  if (!way.from.includes(delivery.status)) return null
  return (
    <>
      <Group gap="xs">
        <ManualSendsLeft remaining={left} />
        <Button
          leftSection={startsOver ? <IconPlayerTrackPrev size={16} /> : <IconSend size={16} />}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {capitalized(way.operation)}
        </Button>
      </Group>
      <ResendRefused
        error={refused}
        at={resend.submittedAt}
        webhookId={webhookId}
        onClose={() => setRefused(null)}
      />
    </>
  )
}
