import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlayerPause, IconPower } from '@tabler/icons-react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { spanText } from '../../../model/spanText.ts'
import { isOn, type OffReason, type Webhook } from '../../../model/webhook.ts'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { shownState, whyNothingIsSent } from '../stateWords.ts'
import { BacklogNotice } from './BacklogNotice.tsx'
import { Missed } from './Missed.tsx'
import { useSwitch } from './useWebhookChange.ts'

/** What stands in the way of deliveries, since when, what it cost, and what to do; nothing where all is well. */
export function StateNotice(props: {
  readonly webhook: Webhook
  readonly summary: DetailedWebhookSummary | null
}) {
  const { webhook, summary } = props
  const workspace = useWorkspace()
  const { noun } = workspace.service.features
  const state = shownState(webhook, workspace.suspended)
  const why = whyNothingIsSent(webhook, workspace, summary?.stopped_by ?? null)
  const done = state.kind === 'paused' ? 'paused it' : 'switched it off'
  const named = summary?.stopped_by != null && summary.stopped_by.name !== null && !workspace.suspended
  if (isOn(state)) {
    return (
      <>
        {state.kind === 'failing' && <Failing since={state.since} />}
        {summary?.backlog != null && <BacklogNotice webhook={webhook} backlog={summary.backlog} />}
        {summary?.missed != null && <Missed missed={summary.missed} />}
      </>
    )
  }
  return (
    <Alert
      color={state.kind === 'off' ? 'red' : 'yellow'}
      variant="light"
      icon={state.kind === 'off' ? <IconPower size={20} /> : <IconPlayerPause size={20} />}
      title={`This ${noun} is ${state.kind}: nothing is sent`}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm" component="div">
          {named ? <Stopper by={summary.stopped_by} done={done} /> : why}
          {summary !== null && summary.off_at !== null && (
            <>
              {' '}
              That was <Time at={summary.off_at} as="relative" />.
            </>
          )}
          {state.kind === 'paused' && ' What is pending waits, and is sent after the pause.'}
        </Text>
        {summary !== null && summary.missed !== null && <Missed missed={summary.missed} />}
        {state.kind === 'off' && <SwitchOn id={webhook.id} reason={state.reason} />}
      </Stack>
    </Alert>
  )
}

/** Who stopped it, by name. */
function Stopper({ by, done }: { readonly by: DetailedWebhookSummary['stopped_by']; readonly done: string }) {
  return (
    <>
      {by?.type === 'key' && 'The API key '}
      <Untrusted>{by?.name ?? ''}</Untrusted> {done}.
    </>
  )
}

function SwitchOn({ id, reason }: { readonly id: string; readonly reason: OffReason }) {
  const { mayChange, service } = useWorkspace()
  const { noun } = service.features
  const switchOn = useSwitch(
    id,
    { enabled: true },
    { done: `The ${noun} is on again.`, failed: `The ${noun} was not switched on` },
  )
  if (!mayChange) {
    return <Text size="sm">An owner of the workspace can switch it on again.</Text>
  }
  return (
    <>
      {reason !== 'manual' && (
        <Text size="sm">
          Fix the receiver first: if it still {reason === 'gone' ? 'answers 410' : 'fails'}, the {noun} is
          switched off again.
        </Text>
      )}
      <Button size="sm" loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
        Switch on
      </Button>
    </>
  )
}

function Failing({ since }: { readonly since: string }) {
  const { service, rules } = useWorkspace()
  const { switched_off_after_s: offAfter } = rules
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={20} />} title="Deliveries are failing">
      <Text size="sm" component="div">
        Every attempt since <Time at={since} as="short" /> failed. Open one of the deliveries below to see
        what your server answered.
        {offAfter !== null &&
          ` A ${service.features.noun} that fails for ${spanText(offAfter)} without one success is switched off.`}
      </Text>
    </Alert>
  )
}
