import fastify from 'fastify'
import { expect, test } from 'vitest'
import { handleErrors, problemOf } from '../../src/http/shared/errors.ts'
import { RateLimitedLogger } from '../../src/http/shared/rateLimitedLogger.ts'
import { StoreUnavailableError } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'

function setUp(inFull: number) {
  const clock = new ManualClock()
  const lines: object[] = []
  const warn = (fields: object, message: string) => void lines.push({ ...fields, message })
  const log = new RateLimitedLogger({ info: warn, warn, error: warn }, clock, inFull, {
    one: 'slow request',
    many: 'there were more slow requests',
  })
  return { clock, lines, log }
}

test('of a thousand in half a minute some are logged in full, and the others as one, with their number and times', () => {
  const { clock, lines, log } = setUp(2)
  const startedAt = clock.now()
  for (let id = 1; id <= 999; id++) log.warn('slow', { id })
  clock.advance(1_000)
  log.warn('slow', { id: 1000 })
  expect(lines).toEqual([
    { id: 1, message: 'slow request' },
    { id: 2, message: 'slow request' },
  ])
  clock.advance(29_000)
  expect(lines.slice(2)).toEqual([
    {
      times: 998,
      from: new Date(startedAt).toISOString(),
      to: new Date(startedAt + 1_000).toISOString(),
      last: { id: 1000 },
      message: 'there were more slow requests',
    },
  ])
  log.warn('slow', { id: 1001 })
  expect(lines[3]).toEqual({ id: 1001, message: 'slow request' })
})

test('each kind is counted separately, and nothing is logged twice', () => {
  const { clock, lines, log } = setUp(1)
  log.warn('one', { id: 1 })
  log.warn('other', { id: 2 })
  clock.advance(60_000)
  expect(lines).toEqual([
    { id: 1, message: 'slow request' },
    { id: 2, message: 'slow request' },
  ])
  expect(clock.pending).toBe(0)
})

test('a rejection is logged with its internal reason, and further ones as a count', async () => {
  const clock = new ManualClock()
  const lines: [fields: object, message: string][] = []
  const warn = (fields: object, message: string) => void lines.push([fields, message])
  const app = fastify()
  handleErrors(app, { info: warn, warn, error: warn }, clock)
  const away = new StoreUnavailableError('53300: too many clients')
  app.get('/publish', () => Promise.reject(away))
  app.get('/readyz', () => Promise.reject(problemOf(away)))
  for (const url of ['/readyz', '/publish', '/readyz']) {
    const answer = await app.inject(url)
    expect([answer.statusCode, answer.body.includes('too many')]).toEqual([503, false])
  }
  clock.advance(30_000)
  const at = '2026-01-05T09:00:00.000Z'
  const refused = { route: '/readyz', code: 'store_unavailable', reason: '53300: too many clients' }
  expect(lines).toMatchObject([
    [refused, 'request rejected temporarily'],
    [{ times: 2, from: at, to: at, last: refused }, 'more requests were rejected temporarily'],
  ])
})
