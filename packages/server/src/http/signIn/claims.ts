import { createValidators } from '../../validation/validators.ts'
import type { ClaimGrant, ProviderSettings } from '../shared/providerSettings.ts'
import { emailAddress } from '../shared/schemas.ts'
import { SignInFailure } from './failures.ts'

/** Claims of the identity provider about a person. */
export type Claims = Readonly<Record<string, unknown>>

/** A person whom the provider signed in, with the rights that `POSTHORN_OIDC_ROLES` gives for their claims. */
export interface ProviderPerson {
  readonly email: string
  readonly name: string
  readonly operator: boolean
  /** The workspaces by id or slug, in the order of the table; one may be named twice. */
  readonly grants: readonly Exclude<ClaimGrant, { readonly operator: true }>[]
}

/** Adds to the claims of an ID token what it leaves out. Only what says the address may say that it is verified. */
export function joined(token: Claims, userInfo: Claims): Claims {
  const { email_verified: inToken } = token.email === undefined ? {} : token
  const isOfUserInfo = token.email === undefined || token.email === userInfo.email
  return {
    ...userInfo,
    ...token,
    email_verified: inToken ?? (isOfUserInfo ? userInfo.email_verified : undefined),
  }
}

const MAX_NAME = 200
const isAddress = createValidators()(emailAddress('Of a person.'))

/**
 * @throws SignInFailure when there is no address that can be relied on
 */
export function personOf(claims: Claims, settings: ProviderSettings): ProviderPerson {
  const { email, email_verified: verified } = claims
  if (!isAddress(email)) throw new SignInFailure('no_email', 'the claim "email" is not an e-mail address')
  // Some providers send a string.
  const isVerified = verified === true || verified === 'true'
  if (!isVerified && !settings.acceptsUnverified)
    throw new SignInFailure('unverified_email', 'the claim "email_verified" is not true', email as string)
  const values = new Set(valuesAt(claims, settings.rolesClaim))
  const given = settings.grants.filter(({ value }) => values.has(value))
  return {
    email: email as string,
    name: nameOf(claims) ?? (email as string),
    operator: given.some(({ operator }) => operator),
    grants: given.flatMap((grant) => (grant.operator ? [] : [grant])),
  }
}

/** The strings at a path in claims. A claim whose own name has dots is found too, such as `https://example.com/roles`. */
export function valuesAt(claims: Claims, path: string): readonly string[] {
  const found = Object.hasOwn(claims, path)
    ? claims[path]
    : path.split('.').reduce(memberOf, claims as unknown)
  return [found].flat().filter((value) => typeof value === 'string')
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Claims)[name]
    : undefined

function nameOf({ name, preferred_username: user }: Claims): string | null {
  return [name, user].map(labelOf).find((label) => label !== '') ?? null
}

/** As people may be called who are added by hand. */
function labelOf(claim: unknown): string {
  if (typeof claim !== 'string') return ''
  const shown = claim.replaceAll(/[\p{Cc}\p{Surrogate}]/gu, ' ').trim()
  // A character of two code units is kept or left out as a whole.
  return shown
    .slice(0, MAX_NAME)
    .replace(/\p{Surrogate}$/u, '')
    .trim()
}
