import { WebhookVerificationError } from '../errors.ts'

/**
 * Somebody who has seen one genuine request could send its body again under a header that is not signed, and a handler that
 * goes by the header would treat a creation as a deletion.
 */
export function typeMismatch(header: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'event_type_mismatch',
    `The header ${header} differs from the type in the signed body. The header is not signed, so it was changed on its way.`,
  )
}
