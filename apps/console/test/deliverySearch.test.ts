import { describe, expect, it } from 'vitest'
import { attemptHelp } from '../src/model/attemptHelp.ts'
import { attemptsLeft } from '../src/model/attemptsLeft.ts'
import type { Attempt, Delivery } from '../src/model/delivery.ts'
import {
  filterOf,
  isFiltered,
  isFirstPage,
  readDeliverySearch,
  readStatusCode,
} from '../src/model/deliverySearch.ts'
import { fromLocalInput, toLocalInput } from '../src/model/localTime.ts'

const NOW = Date.UTC(2026, 0, 8)

describe('readDeliverySearch', () => {
  it('accepts every valid filter', () => {
    const search = {
      webhook: 'wh_1',
      status: 'dead',
      type: 'a.b',
      q: 'evt_1',
      code: 404,
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-02T00:00:00.000Z',
      cursor: 'abc',
    }
    expect(readDeliverySearch(search)).toEqual(search)
  })

  it('drops invalid filters', () => {
    const search = {
      webhook: {},
      status: 'sent',
      type: '',
      code: '99',
      period: 'constructor',
      from: 'x',
      before: 7,
    }
    expect(readDeliverySearch(search)).toEqual({})
  })

  it('accepts ids that the address parser reads as numbers, and a period instead of times', () => {
    expect(readDeliverySearch({ q: 12, period: '7d', from: '2026-01-01' })).toEqual({
      q: '12',
      period: '7d',
    })
  })
})

it('reads the id of an event from an older address', () => {
  expect(readDeliverySearch({ event: 'evt_1' })).toEqual({ q: 'evt_1' })
})

describe('isFiltered', () => {
  it('counts only filters, not other parts of the address', () => {
    expect(isFiltered({ code: 404 })).toBe(true)
    expect(isFiltered({ cursor: 'abc', ...{ utm_source: 'mail' } })).toBe(false)
    expect(isFiltered({ status: undefined })).toBe(false)
  })
})

describe('filterOf', () => {
  it('counts periods back from now', () => {
    expect(filterOf({ period: '24h', code: '5xx' }, NOW)).toMatchObject({
      from: '2026-01-07T00:00:00.000Z',
      statusCode: '5xx',
    })
  })

  it('ends an older page where the current one begins', () => {
    const search = { to: '2026-01-05T00:00:00.000Z', before: '2026-01-03T00:00:00.000Z' }
    expect(filterOf(search, NOW).to).toBe(search.before)
    expect(isFirstPage(search)).toBe(false)
  })
})

describe('readStatusCode', () => {
  it('accepts status codes, classes and "none"', () => {
    expect(['404', ' 5XX ', 'none', '2xx'].map(readStatusCode)).toEqual(['404', '5xx', 'none', '2xx'])
    expect(['', '40', '600', '1xx', 'abc'].map(readStatusCode)).toEqual([null, null, null, null, null])
  })
})

describe('toLocalInput', () => {
  it('round-trips to the same minute', () => {
    expect(fromLocalInput(toLocalInput('2026-03-29T12:34:00.000Z'))).toBe('2026-03-29T12:34:00.000Z')
    expect(fromLocalInput('')).toBeNull()
  })
})

describe('attemptsLeft', () => {
  /** @param attempts what triggered each; all failed except those that end with `!` */
  const pending = (attempts: readonly string[]) =>
    attemptsLeft(
      {
        status: 'pending',
        attempts: attempts.map((text) => ({
          trigger: text.replace('!', ''),
          error: text.endsWith('!') ? null : { code: 'timeout', message: '' },
        })) as unknown as readonly Attempt[],
      } as Delivery,
      8,
    )

  it('counts from when the delivery was created, replayed or recovered', () => {
    expect(pending([])).toBe(8)
    expect(pending(['schedule'])).toBe(7)
    expect(pending(['schedule', 'retry'])).toBe(6)
    expect(pending([...Array(8).fill('schedule'), 'recover', 'retry'])).toBe(6)
    expect(pending([...Array(8).fill('schedule'), 'replay', 'schedule'])).toBe(6)
  })

  it('does not guess between the end of one run and the start of the next', () => {
    expect(pending(Array(8).fill('schedule'))).toBeNull()
    expect(pending(['schedule!'])).toBeNull()
    expect(pending(['schedule!', 'redeliver'])).toBeNull()
    expect(pending(['test'])).toBeNull()
  })
})

describe('attemptHelp', () => {
  it('has a text and steps for every error and every unsuccessful status', () => {
    const codes = [
      'dns_failed',
      'refused_target',
      'connect_failed',
      'connect_timeout',
      'tls_failed',
      'timeout',
    ]
    for (const code of [...codes, 'reset', 'protocol_error']) {
      const help = attemptHelp({ statusCode: null, error: { code, message: '' } })
      expect(help.short).not.toBe(code)
      expect(help.steps).not.toHaveLength(0)
    }
    for (let statusCode = 300; statusCode < 600; statusCode++) {
      const code = statusCode < 400 ? 'redirect' : 'http_status'
      expect(attemptHelp({ statusCode, error: { code, message: '' } }).steps).not.toHaveLength(0)
    }
    expect(attemptHelp({ statusCode: 204, error: null })).toEqual({ short: '204 No Content', steps: [] })
  })
  it.each([400, 422, 500])('refers to the answer with status %i only if it had a body', (statusCode) => {
    const error = { code: 'http_status', message: '' }
    const help = (body: string) =>
      attemptHelp({
        statusCode,
        error,
        response: { contentType: null, body, bodyEncoding: 'utf-8' },
      }).steps.join(' ')
    expect(help('no such draft')).toContain('response below')
    expect(help('')).not.toContain('below')
    expect(help('')).toMatch(/\blog\b/)
  })
  it.each([400, 500])(
    'does not say whether there was an answer to %i where that is unknown',
    (statusCode) => {
      const { steps } = attemptHelp({ statusCode, error: { code: 'http_status', message: '' } })
      expect(steps.join(' ')).not.toMatch(/below|empty/)
    },
  )
  it.each([
    { statusCode: null, error: { code: 'reset', message: '' } },
    { statusCode: 422, error: { code: 'http_status', message: '' } },
    { statusCode: 500, error: { code: 'http_status', message: '' } },
  ])('names the time to look for in a log: %o', (attempt) => {
    expect(attemptHelp(attempt, '12:03:04').steps.join(' ')).toContain('at 12:03:04')
    expect(attemptHelp(attempt).steps.join(' ')).toContain('at the time of the attempt')
  })
})
