import { lazy, useState } from 'react'
import { Dialog } from '../../../../shared/Dialog.tsx'

const Rotation = lazy(async () => ({ default: (await import('./Rotation.tsx')).Rotation }))

/** Makes a new signing secret and shows it this once. */
export function RotateDialog(props: {
  readonly webhookId: string
  readonly opened: boolean
  readonly onClose: () => void
}) {
  const { opened, onClose } = props
  const [busy, setBusy] = useState(false)
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title="Rotate secret"
      size="lg"
      // A secret that was made and not stored must not be lost to a stray key or click.
      closeOnEscape={!busy}
      closeOnClickOutside={!busy}
      withCloseButton={!busy}
    >
      <Rotation webhookId={props.webhookId} onBusy={setBusy} onClose={onClose} />
    </Dialog>
  )
}
