import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerSkipForward, IconRestore } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { isProblem } from '../../../../api/problem.ts'
import { type DetailedWebhookSummary, summaryQuery } from '../../../../api/webhookSummaries.ts'
import { countText, deliveriesText, pendingText } from '../../../../model/numbers.ts'
import { isOn, type Webhook } from '../../../../model/webhook.ts'
import { TooManySends } from '../../../../shared/manualSends/TooManySends.tsx'
import { Failure, Loading } from '../../../../shared/states.tsx'
import { Time } from '../../../../shared/Time.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { shownState } from '../../stateWords.ts'

// Few who open the page recover anything.
const RecoverDialog = lazy(async () => ({ default: (await import('./RecoverDialog.tsx')).RecoverDialog }))
const RecoveryProgress = lazy(async () => ({
  default: (await import('./RecoveryProgress.tsx')).RecoveryProgress,
}))

interface Props {
  readonly webhook: Webhook
  readonly summary: DetailedWebhookSummary
}

/** What to do once the receiver works again: what waits is tried now, and what failed is sent again. */
export function RecoverCard({ webhook, summary }: Props) {
  const { suspended, service } = useWorkspace()
  const { canRetry, canRecover } = service.features
  const [asked, { open, close }] = useDisclosure(false)
  const [ever, setEver] = useState(false)
  if (asked && !ever) setEver(true)
  const [recoveryId, setRecoveryId] = useState<string | null>(null)
  if (!isOn(shownState(webhook, suspended)) || (!canRetry && !canRecover)) return null
  return (
    <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
      <Stack gap="sm">
        <Title order={2}>Recover</Title>
        {canRetry && <Pending webhook={webhook} summary={summary} />}
        {canRecover && (
          <Group justify="space-between" gap="sm">
            <Text size="sm">After you fix your server, send failed and canceled deliveries again.</Text>
            <Button variant="default" leftSection={<IconRestore size={16} />} onClick={open}>
              Recover…
            </Button>
          </Group>
        )}
        {recoveryId !== null && (
          <Suspense fallback={<Loading />}>
            <RecoveryProgress webhookId={webhook.id} id={recoveryId} />
          </Suspense>
        )}
      </Stack>
      {ever && (
        <Suspense fallback={null}>
          <RecoverDialog
            webhookId={webhook.id}
            opened={asked}
            onClose={close}
            onStarted={(id) => {
              setRecoveryId(id)
              close()
            }}
          />
        </Suspense>
      )}
    </Card>
  )
}

function Pending({ webhook, summary }: Props) {
  const { id: ws, service } = useWorkspace()
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => service.retryAll({ id: webhook.id }),
    onSuccess: () => void queryClient.invalidateQueries(summaryQuery(ws, webhook.id)),
  })
  const { pending, retry: last } = summary
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="ph-numbers">
          {pending === 0
            ? 'Nothing waits for another attempt.'
            : `${pending >= 1_000 ? `${pendingText(pending)} deliveries` : deliveriesText(pending)} ${pending === 1 ? 'waits' : 'wait'} for the next attempt.`}
        </Text>
        <Button
          variant="default"
          leftSection={<IconPlayerSkipForward size={16} />}
          disabled={pending === 0 || last?.status === 'running'}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry pending deliveries
        </Button>
      </Group>
      {pending > 1 && (
        <Text size="sm" c="dimmed">
          Sends one first, then more as long as they are delivered.
        </Text>
      )}
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
  const { status, delivered, asked_at } = retry
  return (
    <Text size="sm" c="dimmed" component="div" role="status">
      {status === 'running' ? 'Retrying since' : 'Last retried'} <Time at={asked_at} as="relative" />
      {': '}
      {countText(delivered)} delivered
      {status === 'failed' && '. Stopped at the first failed attempt. The others keep their schedule.'}
      {status === 'stopped' && `. Stopped: the ${noun} was paused or disabled.`}
      {status === 'running' && ' so far.'}
      {status === 'done' && '. All scheduled retries were sent.'}
    </Text>
  )
}
