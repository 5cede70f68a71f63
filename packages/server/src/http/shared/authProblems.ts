import { SECOND_MS } from '../../core/duration.ts'
import { Problem } from './problems.ts'

const INVALID_TOKEN = { 'www-authenticate': 'Bearer realm="posthorn", error="invalid_token"' }

export function credentialsMissing(what: string): Problem {
  return new Problem('credentials_missing', `Send ${what} as "Authorization: Bearer …".`, {
    headers: { 'www-authenticate': 'Bearer realm="posthorn"' },
  })
}

export function unauthorized(
  code:
    | 'key_invalid'
    | 'key_expired'
    | 'key_revoked'
    | 'admin_token_invalid'
    | 'admin_token_expired'
    | 'admin_token_revoked'
    | 'session_invalid'
    | 'link_spent',
  detail: string,
): Problem {
  return new Problem(code, detail, { headers: INVALID_TOKEN })
}

export function expired(what: string, at: number): Problem {
  return unauthorized(
    'key_expired',
    `This ${what} expired at ${new Date(at).toISOString()}; create a new one.`,
  )
}

/** Of a browser, whatever has ended it. */
export const sessionInvalid = () => unauthorized('session_invalid', 'This session has ended; sign in again.')

export const linkSpent = () =>
  unauthorized(
    'link_spent',
    'This link was already used, or has expired. Request a new one in the place where you got it.',
  )

export function scopeMissing(missing: readonly string[], needed: readonly string[]): Problem {
  const challenge = `Bearer realm="posthorn", error="insufficient_scope", scope="${needed.join(' ')}"`
  return new Problem(
    'scope_missing',
    `This API key does not have the scope ${missing.join(' and ')}. Use a key that has it.`,
    {
      headers: { 'www-authenticate': challenge },
    },
  )
}

export const keysNotMeant = () =>
  new Problem('members_only', 'Only signed-in members can do this, not API keys.')

export const operatorsOnly = () =>
  new Problem('operators_only', 'Only operators of this service can do this.')

export const tooManySignIns = (waitMs: number) =>
  tooMany('too_many_sign_ins', 'Too many attempts to sign in', waitMs)

export const tooManyWrongCredentials = (waitMs: number) =>
  tooMany('too_many_wrong_credentials', 'Too many wrong credentials', waitMs)

export const tooManyRequests = (waitMs: number) => tooMany('too_many_requests', 'Too many requests', waitMs)

function tooMany(
  code: 'too_many_sign_ins' | 'too_many_wrong_credentials' | 'too_many_requests',
  what: string,
  waitMs: number,
): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  const detail = `${what}; try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  return new Problem(code, detail, { headers: { 'retry-after': String(seconds) } })
}
