import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy } from 'react'
import { type Webhook, webhookName } from '../../../model/webhook.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

const DisableQuestion = lazy(async () => ({
  default: (await import('./DisableQuestion.tsx')).DisableQuestion,
}))

export function DisableButton({ webhook }: { readonly webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure(false)
  const { noun } = useWorkspace().service.features
  return (
    <>
      <Button variant="default" onClick={open}>
        Disable {noun}
      </Button>
      <Dialog
        opened={opened}
        onClose={close}
        title={
          <>
            Disable the {noun} <Untrusted>{webhookName(webhook)}</Untrusted>?
          </>
        }
      >
        <DisableQuestion webhookId={webhook.id} onClose={close} />
      </Dialog>
    </>
  )
}
