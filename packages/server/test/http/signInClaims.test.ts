import { describe, expect, it, test } from 'vitest'
import { personOf } from '../../src/http/signIn/claims.ts'
import { reasonOf } from '../../src/http/signIn/failures.ts'
import { settingsOf } from './providers.ts'

const settings = settingsOf({ issuer: 'https://login.example.com', clientId: 'posthorn', clientSecret: null })
const nameFrom = (claims: object) =>
  personOf({ email: 'mira@acme.example', email_verified: true, ...claims }, settings).name

describe('the name of a person from claims', () => {
  it.each([
    [{ name: 'Mira' }, 'Mira'],
    [{ name: ' \n ', preferred_username: 'mira' }, 'mira'],
    [{ name: ['Mira'], preferred_username: { a: 1 } }, 'mira@acme.example'],
    [{}, 'mira@acme.example'],
    [{ name: 'Mira\u0000\ud83d B' }, 'Mira   B'],
    [{ name: 'x'.repeat(1_000_000) }, 'x'.repeat(200)],
    [{ name: `${'x'.repeat(199)}\u{1f600}` }, 'x'.repeat(199)],
  ])('%#', (claims, name) => expect(nameFrom(claims)).toBe(name))
})

test.each([['mar\u212a@acme.example'], [['mira@acme.example']], [{ a: 1 }], ['x'.repeat(1_000_000)], [7]])(
  'an address that looks like another, or is none, is refused',
  (email) => {
    const claims = { email, email_verified: true }
    expect(() => personOf(claims, settings)).toThrow(expect.objectContaining({ code: 'no_email' }))
  },
)

test('the reason for the log quotes no answer that could not be parsed', () => {
  let cause: unknown
  try {
    JSON.parse('secret-token')
  } catch (error) {
    cause = error
  }
  expect(String(cause)).toContain('secret')
  expect(reasonOf(new Error('failed to parse', { cause }))).toBe('failed to parse; it is not valid JSON')
})
