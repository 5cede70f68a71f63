import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlayerSkipForward } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { isProblem } from '../../../../api/problem.ts'
import { type DetailedWebhookSummary, summaryQuery } from '../../../../api/webhookSummaries.ts'
import { countText } from '../../../../model/numbers.ts'
import { retryOffer } from '../../../../model/retryOffer.ts'
import type { Webhook } from '../../../../model/webhook.ts'
import { TooManySends } from '../../../../shared/manualSends/TooManySends.tsx'
import { Failure } from '../../../../shared/states.tsx'
import { Elapsed, Time } from '../../../../shared/Time.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { StillFailing } from './StillFailing.tsx'

/** Retries all pending deliveries. @param blocked whether sending is not possible now */
export function RetryPending(props: {
  readonly webhook: Webhook
  readonly summary: DetailedWebhookSummary
  readonly blocked: boolean
}) {
  const { webhook, summary, blocked } = props
  const { id: ws, service } = useWorkspace()
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => service.retryAll({ id: webhook.id }),
    onSuccess: () => {
      void queryClient.invalidateQueries(summaryQuery(ws, webhook.id))
      void queryClient.invalidateQueries({ queryKey: ['deliveries', ws, 'recent', webhook.id] })
    },
  })
  const { pending, backlog, oldest_pending: oldest, retry: last } = summary
  const { state } = webhook
  const { offered, text } = retryOffer({ pending, backlog, oldest, failing: state.kind === 'failing' })
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="ph-numbers">
          {text}
        </Text>
        <Button
          variant="default"
          leftSection={<IconPlayerSkipForward size={16} />}
          disabled={blocked || !offered || last?.status === 'running'}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry pending deliveries
        </Button>
      </Group>
      {offered && (
        <Text size="sm" c="dimmed">
          {pending > 1 && 'Sends one delivery first, then more while they succeed. '}A failed retry uses one
          of the attempts of its delivery.
        </Text>
      )}
      {offered && !blocked && state.kind === 'failing' && <StillFailing since={state.since} />}
      {last !== null && <LastRetry retry={last} />}
      {isProblem(retry.error, 'rate_limited') ? (
        <TooManySends problem={retry.error} at={retry.submittedAt} />
      ) : (
        retry.isError && <Failure error={retry.error} />
      )}
    </Stack>
  )
}

function LastRetry({ retry }: { readonly retry: NonNullable<DetailedWebhookSummary['retry']> }) {
  const { noun } = useWorkspace().service.features
  const { status, delivered, asked_at: at } = retry
  if (status === 'running') {
    return (
      <Text size="sm" c="dimmed" component="div" role="status">
        Retrying: started <Elapsed at={at} />, {countText(delivered)} delivered so far.
      </Text>
    )
  }
  return (
    <Text size="sm" c="dimmed" component="div" role="status">
      Last retried <Time at={at} as="relative" />
      {`: ${countText(delivered)} delivered`}
      {status === 'failed' && '. Stopped at the first failed attempt. The others keep their schedule.'}
      {status === 'stopped' && `. Stopped: the ${noun} was paused or disabled.`}
      {status === 'done' && '. All scheduled retries were sent.'}
    </Text>
  )
}
