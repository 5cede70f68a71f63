import { WebhookVerificationError } from '../errors.ts'
import { bodyReader, type ProfileEvent } from '../events/profile.ts'
import { FIELD_RULES } from '../profile/fields.ts'
import type { Field, ProfileParts } from '../profile/parts.ts'
import { typeMismatch } from './mismatch.ts'
import type { Facts, Protocol } from './protocol.ts'

/**
 * What the headers of a request say; `null`: the profile has no header with it. A header is signed only where the profile
 * signs its placeholder; others can be changed on their way.
 */
interface HeaderFacts {
  /** Of the event, the same on every retry. */
  readonly id: string | null
  readonly type: string | null
  /** When this attempt was signed, to the second; `null`: no time is signed. */
  readonly timestamp: Date | null
  readonly deliveryId: string | null
  /** Counts from 1. */
  readonly attempt: number | null
  readonly webhookId: string | null
  readonly workspaceSlug: string | null
}

/** A genuine request of a profile; its body may be anything. */
export interface VerifiedProfileMessage extends HeaderFacts {
  /** The raw body. */
  readonly body: Uint8Array
}

/** A genuine event of a profile. `id` and `type` are those of the signed body, where that has them. */
export interface VerifiedProfileEvent extends HeaderFacts {
  readonly event: ProfileEvent
}

export function profileProtocol(parts: ProfileParts): Protocol<VerifiedProfileMessage, VerifiedProfileEvent> {
  const readBody = bodyReader(parts.envelope)
  return {
    parts,
    rules: FIELD_RULES,
    toMessage: (facts, body) => ({ ...headerFacts(facts), body }),
    toVerified: (facts, bytes) => {
      const headers = headerFacts(facts)
      const body = readBody(bytes)
      checkSame(parts, headers, body)
      const id = body.id ?? headers.id
      const type = body.type ?? headers.type
      const slug = body.workspace.slug ?? headers.workspaceSlug
      const event = { ...body, id, type, workspace: { ...body.workspace, slug } }
      return { ...headers, id, type, workspaceSlug: slug, event }
    },
  }
}

function headerFacts({ values, timestamp }: Facts): HeaderFacts {
  const text = (field: Field) => values.get(field) ?? null
  const attempt = text('attempt')
  return {
    id: text('id'),
    type: text('type'),
    timestamp,
    deliveryId: text('delivery_id'),
    attempt: attempt === null ? null : Number(attempt),
    webhookId: text('webhook_id'),
    workspaceSlug: text('workspace.slug'),
  }
}

/** A header that is not signed must say what the signed body says. */
function checkSame(
  { headers }: ProfileParts,
  said: HeaderFacts,
  { id, type, workspace }: ProfileEvent,
): void {
  const differ = (header: string | null, body: string | null) =>
    header !== null && body !== null && header !== body
  const nameOf = (field: Field) =>
    Object.keys(headers).find((name) => headers[name]!.includes(`{${field}}`)) ?? ''
  if (differ(said.type, type)) throw typeMismatch(nameOf('type'))
  if (differ(said.id, id)) throw mismatch('id_mismatch', nameOf('id'), 'the id')
  if (differ(said.workspaceSlug, workspace.slug))
    throw mismatch('header_malformed', nameOf('workspace.slug'), 'the slug of the workspace')
}

function mismatch(code: 'id_mismatch' | 'header_malformed', header: string, what: string) {
  return new WebhookVerificationError(code, `The header ${header} differs from ${what} in the signed body.`)
}
