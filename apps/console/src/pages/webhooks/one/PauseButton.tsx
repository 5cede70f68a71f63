import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { lazy } from 'react'
import { type Webhook, webhookName } from '../../../model/webhook.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useStateChange } from './useWebhookChange.ts'

const PauseQuestion = lazy(async () => ({ default: (await import('./PauseQuestion.tsx')).PauseQuestion }))

/**
 * Pauses a webhook after a confirmation, or resumes it. Hidden in a suspended workspace, where it has no effect.
 */
export function PauseButton({ webhook }: { readonly webhook: Webhook }) {
  const { mayChange, suspended, service } = useWorkspace()
  const { noun, canPause } = service.features
  const [asked, { open, close }] = useDisclosure(false)
  const resume = useStateChange(
    webhook.id,
    { paused: false },
    { done: `The ${noun} was resumed.`, failed: `The ${noun} was not resumed` },
  )
  if (!canPause || !mayChange || suspended || webhook.state.kind === 'off') return null
  const paused = webhook.state.kind === 'paused'
  return (
    <>
      {/* One button for both actions, so that it keeps the focus. */}
      <Button
        variant={paused ? 'filled' : 'default'}
        leftSection={paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        loading={resume.isPending}
        onClick={() => (paused ? resume.mutate() : open())}
      >
        {paused ? 'Resume' : 'Pause'} {noun}
      </Button>
      <Dialog
        opened={asked}
        onClose={close}
        title={
          <>
            Pause the {noun} <Untrusted>{webhookName(webhook)}</Untrusted>?
          </>
        }
      >
        <PauseQuestion webhookId={webhook.id} onClose={close} />
      </Dialog>
    </>
  )
}
