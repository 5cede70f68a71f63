import { Button } from '@mantine/core'
import { IconPlayerTrackPrev, IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { summaryQuery } from '../../../api/webhookSummaries.ts'
import { resendHelp, resendLabel, resendText } from '../../../model/sendWords.ts'
import { showDone } from '../../../shared/notify.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { deliveryQuery } from '../useDelivery.ts'
import { ResendRefused } from './ResendRefused.tsx'
import { refreshEvent } from './refreshEvent.ts'
import { type ResendProps, SMALL } from './resendProps.ts'
import { SendAction } from './SendAction.tsx'
import { useSendBlock } from './useSendBlock.ts'
import { withRequests } from './withRequests.ts'

/** Redelivers or replays a delivery, if the viewer may. @param small in a row of a list */
export function ResendButton({ delivery, small = false }: ResendProps) {
  const { id: ws, service, maySend } = useWorkspace()
  const queryClient = useQueryClient()
  const { webhookId, id } = delivery
  const { resend: way } = service.features
  const startsOver = way?.attempts === 'schedule'
  const blocked = useSendBlock(webhookId, way === null ? '' : resendText(way), small)
  const [refused, setRefused] = useState<unknown>(null)
  const resend = useMutation({
    mutationFn: () => service.resend({ webhookId, id }),
    onSuccess: ({ delivery: sent }) => {
      const { queryKey } = deliveryQuery(ws, service, webhookId, id)
      queryClient.setQueryData(queryKey, (before) => withRequests(sent, before))
      showDone(startsOver ? 'The delivery restarts its retry schedule.' : 'The delivery is sent once more.')
      void queryClient.invalidateQueries(summaryQuery(ws, webhookId))
      refreshEvent(queryClient, ws)
      void queryClient.invalidateQueries({ queryKey: ['replayable', ws] })
    },
    onError: setRefused,
  })
  if (!maySend || way === null) return null
  if (!way.from.includes(delivery.status)) return null
  return (
    <>
      <SendAction webhookId={webhookId} blocked={blocked} help={resendHelp(way)} small={small}>
        <Button
          {...(small ? SMALL : {})}
          leftSection={startsOver ? <IconPlayerTrackPrev size={16} /> : <IconSend size={16} />}
          disabled={blocked !== null}
          {...(small ? { title: blocked ?? resendHelp(way) } : {})}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {resendLabel(way)}
        </Button>
      </SendAction>
      <ResendRefused
        error={refused}
        at={resend.submittedAt}
        webhookId={webhookId}
        onClose={() => setRefused(null)}
      />
    </>
  )
}
