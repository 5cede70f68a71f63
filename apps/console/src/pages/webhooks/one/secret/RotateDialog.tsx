import { lazy, useState } from 'react'
import { type Webhook, webhookName } from '../../../../model/webhook.ts'
import { Dialog } from '../../../../shared/Dialog.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'

const Rotation = lazy(async () => ({ default: (await import('./Rotation.tsx')).Rotation }))

/** Rotates the signing secret and shows the new one once. */
export function RotateDialog(props: {
  readonly webhook: Webhook
  readonly opened: boolean
  readonly onClose: () => void
}) {
  const { webhook, opened, onClose } = props
  const [busy, setBusy] = useState(false)
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={
        <>
          Rotate secret of <Untrusted>{webhookName(webhook)}</Untrusted>?
        </>
      }
      size="lg"
      // An accidental key or click must not close a dialog with a secret that was not stored.
      closeOnEscape={!busy}
      closeOnClickOutside={!busy}
      withCloseButton={!busy}
    >
      <Rotation webhookId={webhook.id} onBusy={setBusy} onClose={onClose} />
    </Dialog>
  )
}
