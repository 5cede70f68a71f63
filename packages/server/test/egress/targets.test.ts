import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkTargetUrl, classifyAddress, PUBLIC_ONLY } from '../../src/core/targets/index.ts'
import { PUBLIC_ADDRESSES, REFUSED_ADDRESSES } from './addresses.ts'
import { ACCEPTED_TARGETS, REFUSED_TARGETS } from './corpus.ts'

interface HostileTargets {
  readonly refuse: readonly { readonly url: unknown; readonly why: string }[]
  readonly accept: readonly { readonly url: string; readonly why: string }[]
  readonly refuse_addresses_at_connect: readonly string[]
  readonly allow_addresses_at_connect: readonly string[]
}

const hostile = JSON.parse(
  readFileSync(new URL('hostile-targets.json', import.meta.url), 'utf8'),
) as HostileTargets

const refused = Object.entries(REFUSED_TARGETS).flatMap(([code, inputs]) =>
  inputs.map((input) => ({
    code,
    input,
    label: typeof input === 'string' ? JSON.stringify(input) : String(input),
  })),
)
const refusedAddresses = Object.entries(REFUSED_ADDRESSES).flatMap(([kind, addresses]) =>
  addresses.map((address) => ({ kind, address })),
)

/** One readable line: ends with a full stop, and says what would be right. */
const SENTENCE = /^[A-Z][^\n]{20,}\.$/

describe('a hostile target is rejected when the subscription is created', () => {
  test.each(hostile.refuse)('$url ($why)', ({ url }) => {
    const check = checkTargetUrl(url, PUBLIC_ONLY)
    expect(check).toEqual({
      ok: false,
      code: expect.stringMatching(/^url_/),
      reason: expect.stringMatching(SENTENCE),
    })
  })

  test.each(refused)('$label as $code', ({ code, input }) => {
    const check = checkTargetUrl(input, PUBLIC_ONLY)
    expect(check).toEqual({ ok: false, code, reason: expect.stringMatching(SENTENCE) })
  })

  test('the corpus has at least a hundred targets', () => {
    const known = new Set(hostile.refuse.map(({ url }) => url))
    expect(refused.filter(({ input }) => !known.has(input)).length).toBeGreaterThan(200)
  })
})

describe('a public HTTPS target is accepted', () => {
  test.each(hostile.accept)('$url ($why)', ({ url }) => {
    expect(checkTargetUrl(url, PUBLIC_ONLY)).toEqual({ ok: true, url: expect.stringMatching(/^https:\/\//) })
  })

  test.each(ACCEPTED_TARGETS)('%s is requested as %s', (input, url) => {
    expect(checkTargetUrl(input, PUBLIC_ONLY)).toEqual({ ok: true, url })
  })

  test('the trailing root dot is removed from a public name', () => {
    const check = checkTargetUrl('https://hooks.acme-receiver.com./', PUBLIC_ONLY)
    expect(check).toEqual({ ok: true, url: 'https://hooks.acme-receiver.com/' })
  })

  test('a non-ASCII name is accepted after thousands of URLs, when the check has been optimized', () => {
    for (let checked = 0; checked < 20_000; checked++)
      checkTargetUrl(`https://hooks.acme-receiver.com/${checked}`, PUBLIC_ONLY)
    const check = checkTargetUrl('https://bücher.de/hook', PUBLIC_ONLY)
    expect(check).toEqual({ ok: true, url: 'https://xn--bcher-kva.de/hook' })
  })
})

describe('an address is classified', () => {
  test.each(hostile.refuse_addresses_at_connect)('%s is not public', (address) => {
    expect(classifyAddress(address).public).toBe(false)
  })

  test.each(refusedAddresses)('"$address" is not public: $kind', ({ address, kind }) => {
    expect(classifyAddress(address)).toEqual({ public: false, kind })
  })

  test.each([...hostile.allow_addresses_at_connect, ...PUBLIC_ADDRESSES])('%s is public', (address) => {
    expect(classifyAddress(address)).toEqual({ public: true })
  })
})
