import type { FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE_MS } from '../../core/duration.ts'
import { SealError } from '../../engine/secretBox.ts'
import type { Context } from '../shared/context.ts'
import type { ProviderSettings } from '../shared/providerSettings.ts'
import { clearCookie, readCookie, setCookie } from '../shared/sessionCookie.ts'

/** How long a person may take at the identity provider. */
const LIFE_MS = 10 * MINUTE_MS
const NAME = 'posthorn_sign_in'

/**
 * What it is sealed for, so that nothing else that is sealed can stand in its place. After a change of the provider, codes of the one
 * before must not go to the new one.
 */
const purposeOf = ({ issuer, clientId }: ProviderSettings) =>
  `sign-in by the identity provider ${issuer} ${clientId}`

/** What the callback needs. */
export interface SignInState {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Path of the console to go on to. */
  readonly next: string
  /** When it began, Unix ms. */
  readonly at: number
}

/** Keeps it in the browser, sealed: anonymous requests cost the store nothing, and any node can finish the sign-in. */
export function keepState(
  ctx: Context,
  reply: FastifyReply,
  settings: ProviderSettings,
  state: SignInState,
): void {
  const sealed = Buffer.from(ctx.secretBox.seal(JSON.stringify(state), purposeOf(settings))).toString(
    'base64url',
  )
  setCookie(ctx, reply, NAME, sealed, LIFE_MS)
}

/** @returns `null`: there is none, it is no cookie of this service, or too old */
export function readState(
  ctx: Context,
  request: FastifyRequest,
  settings: ProviderSettings,
): SignInState | null {
  const text = readCookie(ctx, request, NAME)
  if (text === null) return null
  try {
    const opened = ctx.secretBox.open(Uint8Array.from(Buffer.from(text, 'base64url')), purposeOf(settings))
    const state = JSON.parse(opened) as SignInState
    const age = ctx.clock.now() - state.at
    return age > -LIFE_MS && age < LIFE_MS ? state : null
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

export const clearState = (ctx: Context, reply: FastifyReply): void => clearCookie(ctx, reply, NAME)
