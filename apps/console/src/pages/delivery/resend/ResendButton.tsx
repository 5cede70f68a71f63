import { Button, Group, Text } from '@mantine/core'
import { IconPlayerTrackPrev, IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { summaryQuery } from '../../../api/webhookSummaries.ts'
import type { Delivery } from '../../../model/delivery.ts'
import { isFinished } from '../../../model/delivery.ts'
import { capitalized } from '../../../model/words.ts'
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
  const { resend: way } = service.features
  const startsOver = way?.attempts === 'schedule'
  const left = useManualSendsLeft(webhookId)
  const [refused, setRefused] = useState<unknown>(null)
  const whyNot = useId()
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
  if (!mayChange || way === null) return null
  const possible = way.from.includes(delivery.status)
  if (!possible && isFinished(delivery)) return null
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
          leftSection={startsOver ? <IconPlayerTrackPrev size={16} /> : <IconSend size={16} />}
          {...(possible ? {} : { 'data-disabled': true, 'aria-describedby': whyNot })}
          aria-disabled={!possible}
          loading={resend.isPending}
          onClick={() => possible && resend.mutate()}
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
