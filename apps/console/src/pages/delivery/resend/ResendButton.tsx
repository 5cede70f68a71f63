import { Button, Group, Text } from '@mantine/core'
import { IconPlayerTrackPrev, IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { summaryQuery } from '../../../api/webhookSummaries.ts'
import type { Delivery } from '../../../model/delivery.ts'
import { isFinished } from '../../../model/delivery.ts'
import { ManualSendsLeft } from '../../../shared/manualSends/ManualSendsLeft.tsx'
import { showDone } from '../../../shared/notify.ts'
import { Countdown } from '../../../shared/Time.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { deliveryQuery } from '../useDelivery.ts'
import { ResendRefused } from './ResendRefused.tsx'
import { useManualSendsLeft } from './useManualSendsLeft.ts'

/** Sends a delivery again, where that can be done now and by whoever looks. */
export function ResendButton({ delivery }: { readonly delivery: Delivery }) {
  const { id: ws, service, mayChange } = useWorkspace()
  const queryClient = useQueryClient()
  const { webhookId, id } = delivery
  const redelivers = service.features.resend === 'redeliver'
  const left = useManualSendsLeft(webhookId)
  const [refused, setRefused] = useState<unknown>(null)
  const whyNot = useId()
  const resend = useMutation({
    mutationFn: () => service.resend({ webhookId, id }),
    onSuccess: ({ delivery: sent }) => {
      const { queryKey } = deliveryQuery(ws, service, webhookId, id)
      queryClient.setQueryData(queryKey, (before) => withRequests(sent, before))
      showDone(redelivers ? 'It is sent once more.' : 'It starts over with all of its attempts.')
      if (redelivers) void queryClient.invalidateQueries(summaryQuery(ws, webhookId))
      else void queryClient.invalidateQueries({ queryKey: ['replayable', ws] })
    },
    onError: setRefused,
  })
  if (!mayChange) return null
  const possible = redelivers ? isFinished(delivery) : delivery.status === 'dead'
  if (!possible && !redelivers && delivery.status !== 'pending') return null
  return (
    <>
      <Group gap="xs">
        {possible ? (
          <ManualSendsLeft remaining={left} />
        ) : (
          <Text size="sm" c="dimmed" component="div" id={whyNot}>
            It is still on its way: <NextAttempt at={delivery.nextAttemptAt} />
          </Text>
        )}
        <Button
          leftSection={redelivers ? <IconSend size={16} /> : <IconPlayerTrackPrev size={16} />}
          {...(possible ? {} : { 'data-disabled': true, 'aria-describedby': whyNot })}
          aria-disabled={!possible}
          loading={resend.isPending}
          onClick={() => possible && resend.mutate()}
        >
          {redelivers ? 'Redeliver' : 'Replay'}
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

const NextAttempt = ({ at }: { readonly at: string | null }) => (
  <>
    its next attempt comes by itself{' '}
    {at === null ? 'soon' : <Countdown to={at} before="in " over="as soon as it can" />}.
  </>
)

/** The answer to a resend holds no requests: those that were read before are still right. */
function withRequests(sent: Delivery, before: Delivery | undefined): Delivery {
  if (before === undefined) return sent
  const known = new Map(before.attempts.map(({ number, request }) => [number, request]))
  return {
    ...sent,
    requestBody: before.requestBody,
    attempts: sent.attempts.map((attempt) => ({
      ...attempt,
      request: attempt.request ?? known.get(attempt.number) ?? null,
    })),
  }
}
