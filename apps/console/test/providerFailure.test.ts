import { expect, test } from 'vitest'
import { providerHref } from '../src/pages/signIn/provider.ts'
import { providerFailure } from '../src/pages/signIn/providerFailure.ts'

test('failures at the identity provider have their own texts', () => {
  const codes = [
    'canceled',
    'expired',
    'refused',
    'provider_down',
    'unavailable',
    'no_email',
    'unverified_email',
    'no_rights',
    'busy',
  ]
  const titles = codes.map((code) => providerFailure(`failed=${code}`)?.title)
  expect(new Set(titles).size).toBe(codes.length)
  expect(providerFailure('failed=of-a-later-release')).toEqual(providerFailure('failed=refused'))
  expect(providerFailure('failed=constructor')).toEqual(providerFailure('failed=refused'))
})

test('the token of a link is not a failure', () => {
  expect(providerFailure(null)).toBeNull()
  expect(providerFailure('phl_failed=no_rights')).toBeNull()
})

test('only an address is shown from the fragment, never arbitrary text', () => {
  const emailOf = (text: string) =>
    providerFailure(new URLSearchParams({ failed: 'no_rights', as: text }).toString())?.email
  expect(emailOf('mira@acme.example')).toBe('mira@acme.example')
  for (const text of ['', 'Call 555', 'a b@c', `${'x'.repeat(65)}@c`, 'a@b@c'])
    expect(emailOf(text)).toBeNull()
})

test('the redirect to the provider keeps the requested page', () => {
  expect(providerHref(undefined)).toBe('/sign-in/provider')
  expect(providerHref('/w/acme?x=1#y')).toBe('/sign-in/provider?next=%2Fw%2Facme%3Fx%3D1%23y')
})
