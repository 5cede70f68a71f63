import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRetryAfter, RETRY_AFTER_CAP_MS } from '../../src/core/retryAfter.ts'

const NOW = Date.UTC(2026, 2, 29, 1, 30)
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The three forms of RFC 9110, 5.6.7: IMF-fixdate, RFC 850 and asctime. */
function httpDates(ms: number): readonly string[] {
  const at = new Date(ms)
  const day = DAYS[at.getUTCDay()]!
  const month = MONTHS[at.getUTCMonth()]!
  const date = String(at.getUTCDate())
  const year = String(at.getUTCFullYear())
  const time = at.toISOString().slice(11, 19)
  return [
    `${day.slice(0, 3)}, ${date.padStart(2, '0')} ${month} ${year} ${time} GMT`,
    `${day}, ${date.padStart(2, '0')}-${month}-${year.slice(2)} ${time} GMT`,
    `${day.slice(0, 3)} ${month} ${date.padStart(2, ' ')} ${time} ${year}`,
  ]
}

const wholeSecond = fc.integer({ min: -40 * 86_400, max: 40 * 86_400 }).map((s) => NOW + s * 1000)
const padding = fc.constantFrom('', ' ', '\t', '  \t ')

function capped(ms: number): number {
  return Math.min(Math.max(ms, 0), RETRY_AFTER_CAP_MS)
}

describe('parseRetryAfter', () => {
  test('reads any number of seconds, with surrounding white space', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }),
        padding,
        padding,
        (seconds, before, after) => {
          const expected = Math.min(Number(seconds) * 1000, RETRY_AFTER_CAP_MS)
          expect(parseRetryAfter(`${before}${seconds}${after}`, NOW)).toBe(expected)
        },
      ),
    )
  })

  test('reads all three forms of an HTTP date, past ones as no wait and far ones as a day', () => {
    fc.assert(
      fc.property(wholeSecond, padding, (at, pad) => {
        for (const text of httpDates(at))
          expect(parseRetryAfter(pad + text + pad, NOW)).toBe(capped(at - NOW))
      }),
    )
  })

  test('the examples of RFC 9110 name the same second', () => {
    const at = Date.UTC(1994, 10, 6, 8, 49, 37)
    for (const text of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      expect(parseRetryAfter(text, at - 5000), text).toBe(5000)
    }
  })

  test.each([
    ['', null],
    [' ', null],
    ['-1', null],
    ['+5', null],
    ['1.5', null],
    ['0x10', null],
    ['1e3', null],
    ['5 seconds', null],
    ['5, 10', null],
    ['٣', null],
    ['2026-03-30T00:00:00Z', null],
    ['Mon, 30 Mar 2026 00:00:00 +0200', null],
    ['Mon, 30 Foo 2026 00:00:00 GMT', null],
    ['Mon, 30 Mar 2026 99:00:00 GMT', null],
    ['tomorrow', null],
    ['1'.repeat(21), null],
    ['0', 0],
    ['9'.repeat(20), RETRY_AFTER_CAP_MS],
  ])('%j is %j', (text, expected) => {
    expect(parseRetryAfter(text, NOW)).toBe(expected)
  })

  test('an absent header has no wait', () => {
    expect(parseRetryAfter(null, NOW)).toBeNull()
  })

  test('never throws, is never negative and never above the cap', () => {
    const nearMiss = wholeSecond
      .chain((at) =>
        fc.tuple(fc.constantFrom(...httpDates(at)), fc.nat({ max: 40 }), fc.string({ maxLength: 3 })),
      )
      .map(([text, position, noise]) => text.slice(0, position) + noise + text.slice(position + 1))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), nearMiss), (text) => {
        const ms = parseRetryAfter(text, NOW)
        if (ms !== null) expect(ms).toBe(capped(Math.round(ms)))
      }),
      { numRuns: 2000 },
    )
  })

  test.each(['America/New_York', 'Asia/Kolkata', 'Pacific/Apia', 'Europe/Berlin'])(
    'a date means the same in a process that runs in %s',
    (zone) => {
      // Transpiled here, since Node 20 does not run TypeScript and a process reads its time zone at start.
      const module = fileURLToPath(new URL('../../src/core/retryAfter.ts', import.meta.url))
      const at = NOW + 7_200_000
      const script = `
        const { parseRetryAfter } = await import(${JSON.stringify(module)})
        const dates = ${JSON.stringify(httpDates(at))}
        process.stdout.write(JSON.stringify(dates.map((text) => parseRetryAfter(text, ${NOW}))))`
      const output = execFileSync(
        process.execPath,
        ['--import', 'tsx', '--input-type=module', '-e', script],
        {
          env: { ...process.env, TZ: zone },
          encoding: 'utf8',
        },
      )
      expect(JSON.parse(output)).toEqual([7_200_000, 7_200_000, 7_200_000])
    },
  )
})
