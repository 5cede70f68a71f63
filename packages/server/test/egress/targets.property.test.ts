import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkTargetUrl,
  classifyAddress,
  PUBLIC_ONLY,
  parseEgressRules,
} from '../../src/core/targets/index.ts'

type Octets = readonly [number, number, number, number]

const octet = fc.nat({ max: 255 })
const anyIpv4: fc.Arbitrary<Octets> = fc.tuple(octet, octet, octet, octet)
const privateIpv4: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
)

const radix = fc.constantFrom('decimal', 'octal', 'hex', 'HEX', 'padded')

function spell(value: number, how: string): string {
  if (how === 'octal') return `0${value.toString(8)}`
  if (how === 'hex') return `0x${value.toString(16)}`
  if (how === 'HEX') return `0X${value.toString(16).toUpperCase()}`
  if (how === 'padded') return `0x0000${value.toString(16)}`
  return String(value)
}

/** inet_aton's reading: one to four parts, the last of which contains all remaining bytes. */
function partsOf([a, b, c, d]: Octets, count: number): readonly number[] {
  if (count === 1) return [((a * 256 + b) * 256 + c) * 256 + d]
  if (count === 2) return [a, (b * 256 + c) * 256 + d]
  if (count === 3) return [a, b, c * 256 + d]
  return [a, b, c, d]
}

const fullWidth = (text: string): string =>
  text.replace(/[0-9a-zA-Z.]/g, (char) =>
    char === '.' ? '。' : String.fromCodePoint(char.charCodeAt(0) + 0xfee0),
  )

const ipv4Spelling = fc
  .record({
    octets: privateIpv4,
    count: fc.integer({ min: 1, max: 4 }),
    how: fc.tuple(radix, radix, radix, radix),
    dot: fc.constantFrom('', '.'),
    wide: fc.boolean(),
  })
  .map(({ octets, count, how, dot, wide }) => {
    const host = partsOf(octets, count).map((part, i) => spell(part, how[i]!))
    const text = host.join('.') + dot
    return { octets, host: wide ? fullWidth(text) : text }
  })

const hex16 = (high: number, low: number): string => (high * 256 + low).toString(16)

/** Every IPv6 form of an IPv4 address. */
function embed([a, b, c, d]: Octets): readonly string[] {
  const hex = `${hex16(a, b)}:${hex16(c, d)}`
  const dotted = `${a}.${b}.${c}.${d}`
  return [
    `::${hex}`,
    `::${dotted}`,
    `::ffff:${hex}`,
    `::ffff:${dotted}`,
    `::ffff:0:${hex}`,
    `64:ff9b::${hex}`,
    `64:ff9b::${dotted}`,
    `64:ff9b:1::${hex}`,
    `64:ff9b:1:${hex16(a, b)}:${hex16(0, c)}:${hex16(d, 0)}::`,
    `2002:${hex}::`,
    `2002:${hex}::1`,
    `2001:0:${hex}:8000::`,
    `2001:0:4136:e378:8000:63bf:${hex16(255 - a, 255 - b)}:${hex16(255 - c, 255 - d)}`,
    `fe80::5efe:${hex}`,
    `2606:4700::5efe:${hex}`,
    `2606:4700::200:5efe:${dotted}`,
  ]
}

describe('whatever the spelling', () => {
  test('a private IPv4 address is rejected as a target, and the URL parser reads it as we do', () => {
    fc.assert(
      fc.property(ipv4Spelling, ({ octets, host }) => {
        expect(checkTargetUrl(`https://${host}/`, PUBLIC_ONLY)).toMatchObject({
          ok: false,
          code: 'url_ip_literal',
        })
        expect(new URL(`https://${host}/`).hostname).toBe(octets.join('.'))
      }),
      { numRuns: 2_000 },
    )
  })

  test('any IPv4 address inside any IPv6 transition form is rejected, public or not', () => {
    fc.assert(
      fc.property(anyIpv4, (octets) => {
        for (const address of embed(octets)) {
          expect(classifyAddress(address), address).toMatchObject({ public: false })
          expect(checkTargetUrl(`https://[${address}]/`, PUBLIC_ONLY), address).toMatchObject({ ok: false })
        }
      }),
    )
  })

  test('an address is public or not, however it is abbreviated', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1)
        expect(classifyAddress(text)).toEqual(classifyAddress(canonical))
        expect(classifyAddress(text.toUpperCase())).toEqual(classifyAddress(canonical))
      }),
    )
  })
})

const hostileText = fc.oneof(
  fc.webUrl({ withQueryParameters: true, validSchemes: ['https'] }),
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'ftp'] }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }).map((host) => `https://${host}/`),
  fc.tuple(fc.domain(), fc.string({ unit: 'binary' })).map(([host, rest]) => `https://${host}${rest}`),
  fc.tuple(fc.domain(), fc.string({ unit: 'grapheme' })).map(([host, rest]) => `https://${host}./${rest}`),
)

describe('for any input', () => {
  const rules = [PUBLIC_ONLY, parseEgressRules({ allow: '127.0.0.0/8,::/0,localhost,redis', ports: '8080' })]

  test('nothing throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything({ withBigInt: true, withDate: true, withMap: true }), hostileText),
        (input) => {
          for (const rule of rules) expect(typeof checkTargetUrl(input, rule).ok).toBe('boolean')
          expect(typeof classifyAddress(String(typeof input === 'object' ? '' : input)).public).toBe(
            'boolean',
          )
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('an accepted URL is accepted again unchanged', () => {
    fc.assert(
      fc.property(hostileText, (input) => {
        for (const rule of rules) {
          const check = checkTargetUrl(input, rule)
          if (check.ok) expect(checkTargetUrl(check.url, rule)).toEqual(check)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  test('an accepted URL is plain: HTTPS, a dotted name, an open port, nothing hidden', () => {
    fc.assert(
      fc.property(hostileText, (input) => {
        const check = checkTargetUrl(input, PUBLIC_ONLY)
        if (!check.ok) return
        const url = new URL(check.url)
        expect(url.protocol + url.username + url.password + url.hash).toBe('https:')
        expect(url.hostname).toMatch(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/)
        expect(['', '8443']).toContain(url.port)
        expect(check.url).toMatch(/^[\x21-\x7e]{1,2048}$/)
      }),
      { numRuns: 5_000 },
    )
  })
})
