import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { lazy } from 'react'
import type { Webhook } from '../../../model/webhook.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useSwitch } from './useWebhookChange.ts'

const PauseQuestion = lazy(async () => ({ default: (await import('./PauseQuestion.tsx')).PauseQuestion }))

/**
 * Pauses a webhook that is on, once it was said what that costs, and ends its pause. A workspace that is suspended holds it
 * whatever is done here.
 */
export function PauseButton({ webhook }: { readonly webhook: Webhook }) {
  const { mayChange, suspended, service } = useWorkspace()
  const { noun, canPause } = service.features
  const [asked, { open, close }] = useDisclosure(false)
  const resume = useSwitch(
    webhook.id,
    { paused: false },
    { done: `The ${noun} is on again.`, failed: 'The pause was not ended' },
  )
  if (!canPause || !mayChange || suspended || webhook.state.kind === 'off') return null
  const paused = webhook.state.kind === 'paused'
  return (
    <>
      {/* One button for both, so that the focus stays on it. */}
      <Button
        variant={paused ? 'filled' : 'default'}
        leftSection={paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        loading={resume.isPending}
        onClick={() => (paused ? resume.mutate() : open())}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Dialog opened={asked} onClose={close} title={`Pause this ${noun}?`}>
        <PauseQuestion webhookId={webhook.id} onClose={close} />
      </Dialog>
    </>
  )
}
