import { expect } from 'vitest'
import { checkProfile } from '../../src/profiles/check.ts'
import { type ServedProfile, serviceOf } from '../../src/profiles/compile.ts'

const STANDARD = { content: '{id}.{timestamp}.{body}', encoding: 'base64', join: ' ', most: 4 }

/** The two signatures of Standard Webhooks, as profiles have them. */
export const HMAC = {
  ...STANDARD,
  algorithm: 'hmac-sha256',
  secret: 'base64-after-prefix',
  each: 'v1,{signature}',
}
export const KEY_PAIR = { ...STANDARD, algorithm: 'ed25519', each: 'v1a,{signature}' }

/** A service of Standard Webhooks with these signatures. @param others members of its profile */
export function signedBy(
  signatures: readonly object[],
  secret: object = {},
  others: object = {},
): ServedProfile {
  const catalog = { types: [{ type: 'invoice.paid', title: 'Invoice paid' }] }
  const base = { profile: 1, name: 'billing', title: 'Billing', catalog }
  const { errors, profile } = checkProfile({ ...base, signatures, secret, ...others })
  expect(errors).toEqual([])
  return serviceOf(profile!, {})
}
