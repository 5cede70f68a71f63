import { ensure, type VerificationErrorCode } from '../core/errors.ts'
import { checkSameType } from '../events/service.ts'
import type { AnyProfileEvent } from './event.ts'
import type { Field, ProfileParts } from './parts.ts'
import type { Facts } from './verifier.ts'

/**
 * What the headers of a request say; `null`: the profile has no header with it. A header is signed only where the profile
 * signs its placeholder; others can be changed on their way.
 */
export interface HeaderFacts {
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
export interface VerifiedProfileEvent<Event extends { readonly type: string | null } = AnyProfileEvent>
  extends HeaderFacts {
  readonly type: Event['type']
  readonly event: Event
}

export function headerFacts({ values, timestamp }: Facts): HeaderFacts {
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

/** @throws {WebhookVerificationError} for a header that says something else than the signed body. */
export function verifiedOf(
  { headers }: ProfileParts,
  said: HeaderFacts,
  body: AnyProfileEvent,
): VerifiedProfileEvent {
  checkSame(headers, said, body)
  const id = body.id ?? said.id
  const type = body.type ?? said.type
  const slug = body.workspace.slug ?? said.workspaceSlug
  const event = { ...body, id, type, workspace: { ...body.workspace, slug } }
  return { ...said, id, type, workspaceSlug: slug, event }
}

/** A header that is not signed must say what the signed body says. */
function checkSame(
  headers: ProfileParts['headers'],
  said: HeaderFacts,
  { id, type, workspace }: AnyProfileEvent,
): void {
  const isSame = (header: string | null, body: string | null) =>
    header === null || body === null || header === body
  const nameOf = (field: Field) =>
    Object.keys(headers).find((name) => headers[name]!.includes(`{${field}}`)) ?? ''
  const check = (field: Field, what: string, code: VerificationErrorCode, holds: boolean) =>
    ensure(holds, code, `The header ${nameOf(field)} differs from ${what} in the signed body.`)
  checkSameType(nameOf('type'), isSame(said.type, type))
  check('id', 'the id', 'id_mismatch', isSame(said.id, id))
  const hasSlug = isSame(said.workspaceSlug, workspace.slug)
  check('workspace.slug', 'the slug of the workspace', 'header_malformed', hasSlug)
}
