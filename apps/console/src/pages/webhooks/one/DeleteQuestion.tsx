import { nameToType } from '../../../model/nameToType.ts'
import { type Webhook, webhookName } from '../../../model/webhook.ts'
import { ConfirmByTyping } from '../../../shared/ConfirmByTyping.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Explains the consequences of deleting a webhook, and asks for its name. */
export function DeleteQuestion(props: {
  readonly webhook: Webhook
  readonly opened: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly pending: boolean
  readonly error: unknown
}) {
  const { webhook, ...asking } = props
  const { noun, canPause, canDisable } = useWorkspace().service.features
  return (
    <ConfirmByTyping
      {...asking}
      title={
        <>
          Delete the {noun} <Untrusted>{webhookName(webhook)}</Untrusted>?
        </>
      }
      word={nameToType(webhook)}
      action={`Delete ${noun}`}
    >
      No more events are sent to it, and pending deliveries are canceled. This cannot be undone.
      {canDisable && ` To stop temporarily, ${canPause ? 'pause or ' : ''}disable it instead.`}
    </ConfirmByTyping>
  )
}
