import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ShownSecret } from '../../engine/engine.ts'
import { secretForRepeats, textShownBy } from '../../engine/manage/shownSecrets.ts'
import type { ChangeName, ChangeParams, ChangeResult } from '../../storage/storage.ts'
import { changeInStore, type NoteOf } from './changes.ts'
import type { Context } from './context.ts'
import { nullable } from './schemas.ts'

const ONCE = 'Shown once. Repeats of the request with the same `Idempotency-Key` show it for 10 minutes'

/** A credential that is shown once. @param what it is */
export const shownOnce = (what: string) =>
  nullable(Type.String({ description: `${what} ${ONCE}; after that it is null.` }))

/** @param options of its schema, such as examples */
export const signingSecret = (options: object = {}) =>
  nullable(
    Type.String({
      description: `The signing secret. ${ONCE}, unless it was rotated; after that it is null.`,
      ...options,
    }),
  )

/** Why a credential is omitted. */
export const credentialOmitted = Type.Unsafe<'expired' | null>({
  type: ['string', 'null'],
  enum: ['expired', null],
  description: 'Why it is not shown: 10 minutes have passed since the first response. Null if it is shown.',
})

/** Why a signing secret is omitted. */
export const signingSecretOmitted = Type.Unsafe<ShownSecret['omitted']>({
  type: ['string', 'null'],
  enum: ['expired', 'rotated', null],
  description:
    'Why the secret is not shown. `rotated`: a newer one has replaced it. `expired`: 10 minutes have passed since the first response, or the webhook was deleted. Null when it is shown.',
})

/** Carries out a change whose answer shows a credential, and tells what to show: see ADR 24. */
export async function changeWithSecret<N extends ChangeName>(
  ctx: Context,
  request: FastifyRequest,
  change: { readonly call: N; readonly params: ChangeParams<N> },
  note: NoteOf<N>,
  credential: {
    readonly text: string
    /** What it is sealed for; the same in a repeat. */
    readonly owner: string
  },
): Promise<{
  readonly result: ChangeResult<N>
  readonly repeated: boolean
  readonly text: string | null
  readonly omitted: 'expired' | null
}> {
  const { text, owner } = credential
  const responseData = secretForRepeats(ctx.secretBox.seal(text, owner), ctx.clock.now())
  const changed = await changeInStore(ctx, request, change, note, responseData)
  const shown = textShownBy(changed, text, (sealed) => ctx.secretBox.open(sealed, owner))
  const { result, repeated } = changed
  return { result, repeated, text: shown, omitted: shown === null ? 'expired' : null }
}
