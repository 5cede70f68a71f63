import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPower } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { isOn, type OffReason, STATE_NAMES, type Webhook } from '../../../model/webhook.ts'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { shownState, stoppedText, whyNothingIsSent } from '../stateWords.ts'
import { useStateChange } from './useWebhookChange.ts'

// Most webhooks need none of these.
const BacklogNotice = lazy(async () => ({ default: (await import('./BacklogNotice.tsx')).BacklogNotice }))
const FailingNotice = lazy(async () => ({ default: (await import('./FailingNotice.tsx')).FailingNotice }))
const Missed = lazy(async () => ({ default: (await import('./Missed.tsx')).Missed }))
const MissedNotice = lazy(async () => ({ default: (await import('./MissedNotice.tsx')).MissedNotice }))

interface Props {
  readonly webhook: Webhook
  readonly summary: DetailedWebhookSummary | null
}

/** Why deliveries of a webhook are stopped or failing, the consequences, and what to do. */
export function StateNotice({ webhook, summary }: Props) {
  const { suspended, service } = useWorkspace()
  const state = shownState(webhook, suspended)
  if (isOn(state)) {
    return (
      <Suspense fallback={null}>
        {state.kind === 'failing' && <FailingNotice webhookId={webhook.id} since={state.since} />}
        {summary?.backlog != null && <BacklogNotice webhook={webhook} backlog={summary.backlog} />}
        {summary?.missed != null && <MissedNotice missed={summary.missed} />}
      </Suspense>
    )
  }
  return (
    <Alert
      color={state.kind === 'off' ? 'red' : 'yellow'}
      variant="light"
      icon={state.kind === 'off' ? <IconPower size={20} /> : <IconPlayerPause size={20} />}
      title={`This ${service.features.noun} is ${STATE_NAMES[state.kind]}: nothing is sent`}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm" component="div">
          <WhyAndSince webhook={webhook} summary={summary} />
          {state.kind === 'paused' && <WhilePaused />}
        </Text>
        <Suspense fallback={null}>
          {summary !== null && summary.missed !== null && <Missed missed={summary.missed} />}
        </Suspense>
        {state.kind === 'off' && <EnableWebhook id={webhook.id} reason={state.reason} />}
      </Stack>
    </Alert>
  )
}

/** Why or by whom the webhook was stopped, and when. */
function WhyAndSince({ webhook, summary }: Props) {
  const workspace = useWorkspace()
  const state = shownState(webhook, workspace.suspended)
  if (isOn(state)) return null
  const by = summary?.stopped_by ?? null
  const done = state.kind === 'paused' ? 'Paused' : 'Disabled'
  const since =
    summary === null || summary.off_at === null ? null : <Time at={summary.off_at} as="relative" />
  const byHand = state.kind === 'paused' ? !workspace.suspended : state.reason === 'manual'
  if (!byHand) {
    return (
      <>
        {whyNothingIsSent(webhook, workspace, by)}
        {since !== null && (
          <>
            {` ${done} `}
            {since}.
          </>
        )}
      </>
    )
  }
  return (
    <>
      {by !== null && by.name !== null ? <Stopper by={by} done={done} /> : stoppedText(state.kind, by)}
      {since !== null && <> {since}</>}.
    </>
  )
}

/** What happens to events until it is resumed. A suspended workspace holds no events. */
function WhilePaused() {
  const { suspended, service } = useWorkspace()
  const { pauseHolds, recoversMissed } = service.features
  const events =
    pauseHolds && !suspended ? 'wait too' : recoversMissed ? 'can be recovered later' : 'are skipped'
  return ` Pending deliveries wait. New events ${events}.`
}

/** Name of the user or API key that stopped it. */
function Stopper({ by, done }: { readonly by: DetailedWebhookSummary['stopped_by']; readonly done: string }) {
  return (
    <>
      {done} by {by?.type === 'key' && 'the API key '}
      <Untrusted>{by?.name ?? ''}</Untrusted>
    </>
  )
}

function EnableWebhook({ id, reason }: { readonly id: string; readonly reason: OffReason }) {
  const { mayChange, service } = useWorkspace()
  const { noun } = service.features
  const enable = useStateChange(
    id,
    { enabled: true },
    { done: `The ${noun} was enabled.`, failed: `The ${noun} was not enabled` },
  )
  if (!mayChange) {
    return <Text size="sm">An owner of the workspace can enable it again.</Text>
  }
  return (
    <>
      {reason !== 'manual' && (
        <Text size="sm">
          Fix the receiver first. If it still {reason === 'gone' ? 'responds with 410' : 'fails'}, the {noun}{' '}
          is disabled again.
        </Text>
      )}
      <Button size="sm" loading={enable.isPending} onClick={() => enable.mutate()}>
        Enable {noun}
      </Button>
    </>
  )
}
