import { Button, Tooltip } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { Webhook } from '../../../model/webhook.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useSwitch } from './useWebhookChange.ts'

/** Pauses a webhook that is on, and ends its pause. A workspace that is suspended holds it whatever is done here. */
export function PauseButton({ webhook }: { readonly webhook: Webhook }) {
  const { mayChange, suspended, service } = useWorkspace()
  const { noun, canPause } = service.features
  const pause = useSwitch(
    webhook.id,
    { paused: true },
    { done: `The ${noun} is paused.`, failed: `The ${noun} was not paused` },
  )
  const resume = useSwitch(
    webhook.id,
    { paused: false },
    { done: `The ${noun} is on again.`, failed: 'The pause was not ended' },
  )
  if (!canPause || !mayChange || suspended || webhook.state.kind === 'off') return null
  return webhook.state.kind === 'paused' ? (
    <Button
      leftSection={<IconPlayerPlay size={16} />}
      loading={resume.isPending}
      onClick={() => resume.mutate()}
    >
      Resume
    </Button>
  ) : (
    <Tooltip label="What is pending waits until it is resumed. Events that happen meanwhile never reach it.">
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={16} />}
        loading={pause.isPending}
        onClick={() => pause.mutate()}
      >
        Pause
      </Button>
    </Tooltip>
  )
}
