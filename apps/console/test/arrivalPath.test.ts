import { expect, test } from 'vitest'
import { arrivalPath } from '../src/pages/signIn/arrivalPath.ts'

test.each([
  '/',
  '/w/acme/deliveries?status=failed#top',
  '/operator',
  '/portals',
  '/w/portal',
  '/?to=/portal',
])('allows %s as the page to open after sign-in', (to) => {
  expect(arrivalPath(to)).toBe(to)
})

test.each([
  'https://evil.example.com/',
  '//evil.example.com/',
  '/\\evil.example.com/',
  '/.//evil.example.com/',
  '/w/..//evil.example.com/',
  '/w/%2e%2e/%2e//evil.example.com/',
  '/./\\evil.example.com/',
  '/\t/evil.example.com/',
  'javascript:alert(1)',
  'w/acme',
  '',
  undefined,
  7,
  '/portal#phl_token',
  '/portal/',
  '/PORTAL#phl_token',
  '/./portal#phl_token',
  '/w/../portal#phl_token',
  '/%70ortal#phl_token',
  '/sign-in#phl_token',
  '/sign-in?to=/w',
  '/embed#phl_token',
  '/embed/w',
])('rejects %s as the page to open after sign-in', (to) => {
  expect(arrivalPath(to)).toBeUndefined()
})

test('the path that is gone to is the one that was checked', () => {
  expect(arrivalPath('/w/./acme/../shop?a=b#c')).toBe('/w/shop?a=b#c')
})
