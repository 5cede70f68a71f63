import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { Webhook } from '../../../model/webhook.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useSwitch } from './useWebhookChange.ts'

/**
 * Pauses a webhook that is on, once it was said what that costs, and ends its pause. A workspace that is suspended holds it
 * whatever is done here.
 */
export function PauseButton({ webhook }: { readonly webhook: Webhook }) {
  const { mayChange, suspended, service } = useWorkspace()
  const { noun, canPause, pauseHolds, recoversMissed } = service.features
  const [asked, { open, close }] = useDisclosure(false)
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
        <Stack>
          <Text size="sm">
            {pauseHolds
              ? 'Events that come while it is paused are held, and sent after you resume it.'
              : recoversMissed
                ? 'Events that come while it is paused are skipped. After you resume it, you can recover them.'
                : 'Events that come while it is paused are skipped. They are not sent later. Your server can read them from the events API.'}{' '}
            Pending deliveries wait, and are sent after you resume it.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              loading={pause.isPending}
              onClick={() => pause.mutate(undefined, { onSettled: close })}
              data-autofocus
            >
              Pause the {noun}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
