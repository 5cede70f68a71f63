import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/core/canonicalJson.ts'
import { createSecretBox } from '../../src/engine/secretBox.ts'
import { showBody } from '../../src/http/shared/attempts.ts'
import { jsonExceeds } from '../../src/http/shared/canonical.ts'
import type { Context } from '../../src/http/shared/context.ts'
import { Credentials } from '../../src/http/shared/credentials.ts'
import { readPage } from '../../src/http/shared/pages.ts'
import { parseTime } from '../../src/http/shared/time.ts'
import { ManualClock } from '../support/manualClock.ts'

describe('parseTime', () => {
  it.each([
    ['2026-03-14T09:26:53Z', Date.UTC(2026, 2, 14, 9, 26, 53)],
    ['2026-03-14t09:26:53z', Date.UTC(2026, 2, 14, 9, 26, 53)],
    ['2026-03-14T09:26:53.5Z', Date.UTC(2026, 2, 14, 9, 26, 53, 500)],
    ['2026-03-14T09:26:53.123456789Z', Date.UTC(2026, 2, 14, 9, 26, 53, 123)],
    ['2026-03-14T09:26:53+05:30', Date.UTC(2026, 2, 14, 3, 56, 53)],
    ['2026-03-14T23:26:53-01:00', Date.UTC(2026, 2, 15, 0, 26, 53)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('reads %s', (text, time) => expect(parseTime(text)).toBe(time))

  it.each([
    '',
    'now',
    '2026-03-14',
    '2026-03-14T09:26Z',
    '2026-03-14T09:26:53',
    '2026-03-14 09:26:53Z',
    '2026-03-14T24:00:00Z',
    '2026-03-14T09:60:00Z',
    '2026-03-14T09:26:60Z',
    '2026-00-14T09:26:53Z',
    '2026-13-14T09:26:53Z',
    '2026-03-00T09:26:53Z',
    '2026-02-29T00:00:00Z',
    '2026-03-14T09:26:53+24:00',
    '2026-03-14T09:26:53+01:60',
    '2026-03-14T09:26:53+0100',
    '2026-03-14T09:26:53.Z',
    '2026-03-14T09:26:53.1234567890Z',
    '1999-12-31T23:59:59Z',
    '2100-01-01T00:00:00Z',
    '+002026-03-14T09:26:53Z',
    ' 2026-03-14T09:26:53Z',
    '2026-03-14T09:26:53Z\n',
    '1773480413',
  ])('refuses %j', (text) => expect(parseTime(text)).toBeNull())

  it('reads back every time that JSON shows', () => {
    const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    fc.assert(fc.property(times, (date) => parseTime(date.toISOString()) === date.getTime()))
  })
})

describe('canonicalJson', () => {
  it('is equal for equal values and reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shuffled = JSON.parse(JSON.stringify(value), (_, inner) =>
          typeof inner === 'object' && inner !== null && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).reverse())
            : inner,
        )
        expect(canonicalJson(shuffled)).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('jsonExceeds', () => {
  it('agrees with the real size', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(200), (value, limit) => {
        expect(jsonExceeds(value, limit)).toBe(Buffer.byteLength(JSON.stringify(value)) > limit)
      }),
    )
  })
})

describe('showBody', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => Buffer.from(part as string)))

  it('loses nothing of a body below the limit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (body) => {
        const shown = showBody(body)
        const back = Buffer.from(shown.body, shown.encoding === 'base64' ? 'base64' : 'utf8')
        expect(back).toEqual(Buffer.from(body))
      }),
    )
  })

  it.each(['é', '€', '😀'])('shows text as text even if the limit cut a %s', (character) => {
    const whole = bytes('x'.repeat(2048))
    for (let fit = 0; fit <= Buffer.byteLength(character); fit++) {
      const start = 'x'.repeat(2048 - fit)
      const cut = bytes(start, character).subarray(0, 2048)
      const isWhole = fit === 0 || fit === Buffer.byteLength(character)
      expect(showBody(cut)).toEqual({ body: isWhole ? cut.toString() : start, encoding: 'utf-8' })
    }
    expect(showBody(whole).body).toHaveLength(2048)
  })

  it('shows binary data in base64, also at the limit', () => {
    for (const end of [[0xff], [0x80, 0x80, 0x80, 0x80], [0xc3, 0x28]]) {
      const body = bytes('x'.repeat(2048 - end.length), end)
      expect(showBody(body)).toEqual({ body: body.toString('base64'), encoding: 'base64' })
    }
    expect(showBody(null)).toEqual({ body: '', encoding: 'utf-8' })
  })
})

describe('cursors', () => {
  const ctx = { secretBox: createSecretBox([new Uint8Array(32)]) } as Context
  const rows = Array.from({ length: 9 }, (_, i) => ({ id: 9 - i }))
  const page = (query: object, ownerId = 7, list: 'keys' | 'webhooks' = 'keys') =>
    readPage(ctx, { list, ownerId }, query, async ({ limit, before }) =>
      rows.filter(({ id }) => id < (before ?? 99)).slice(0, limit),
    )

  it('visit every row once', async () => {
    const seen: number[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const found = await page({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...found.rows.map(({ id }) => id))
      cursor = found.nextCursor
    }
    expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  it('are valid only for their own list', async () => {
    const { nextCursor } = await page({ limit: 2 })
    await expect(page({ cursor: nextCursor! }, 8)).rejects.toThrow('one error')
    await expect(page({ cursor: nextCursor! }, 7, 'webhooks')).rejects.toThrow('one error')
    await expect(page({ cursor: 'A'.repeat(60) })).rejects.toThrow('one error')
  })
})

describe('credentials', () => {
  const findSession = async () => null
  const findBrowserSession = findSession
  const findAdminToken = findSession
  const others = { findSession, findBrowserSession, findAdminToken, touchAdminTokens: async () => {} }
  const entry = { key: { id: 1 }, workspace: { id: 2 } } as never
  const silent = { info() {}, warn() {}, error() {} }

  it('remembers a key for five seconds, and no longer', async () => {
    const clock = new ManualClock()
    const ring = new Credentials(
      { findKey: async () => entry, ...others, touchKeys: async () => {} },
      clock,
      silent,
      'the admin token',
    )
    expect(ring.cached('k')).toBeNull()
    await ring.find('key', 'k')
    clock.advance(4999)
    expect(ring.cached('k')).not.toBeNull()
    clock.advance(1)
    expect(ring.cached('k')).toBeNull()
  })

  it('does not remember a lookup from before a key was revoked', async () => {
    const clock = new ManualClock()
    let found = (_: typeof entry) => {}
    const findKey = () => new Promise<typeof entry>((resolve) => (found = resolve))
    const ring = new Credentials(
      { findKey, ...others, touchKeys: async () => {} },
      clock,
      silent,
      'the admin token',
    )
    const looking = ring.find('key', 'k')
    ring.forget()
    found(entry)
    await looking
    expect(ring.cached('k')).toBeNull()
  })

  it('records uses together after half a minute, and once', async () => {
    const clock = new ManualClock()
    const written: unknown[] = []
    const touchKeys = async (params: unknown) => void written.push(params)
    const ring = new Credentials(
      { findKey: async () => entry, ...others, touchKeys },
      clock,
      silent,
      'the admin token',
    )
    ring.noteUse(1)
    ring.noteUse(2)
    clock.advance(10)
    ring.noteUse(1)
    clock.advance(30_000)
    expect(written).toEqual([
      {
        uses: [
          { keyId: 1, at: clock.now() - 30_000 },
          { keyId: 2, at: clock.now() - 30_010 },
        ],
      },
    ])
    await ring.flush()
    expect([written.length, clock.pending]).toEqual([1, 0])
  })

  it('survives a store that rejects uses', async () => {
    const touchKeys = () => Promise.reject(new Error('full'))
    const ring = new Credentials(
      { findKey: async () => entry, ...others, touchKeys },
      new ManualClock(),
      silent,
      'the admin token',
    )
    ring.noteUse(1)
    await expect(ring.flush()).resolves.toBeUndefined()
  })

  it('holds a limited number of keys', async () => {
    const ring = new Credentials(
      { findKey: async () => entry, ...others, touchKeys: async () => {} },
      new ManualClock(),
      silent,
      'the admin token',
    )
    for (let i = 0; i <= 10_000; i++) await ring.find('key', `k${i}`)
    expect(ring.cached('k0')).toBeNull()
    expect(ring.cached('k10000')).not.toBeNull()
  })
})
