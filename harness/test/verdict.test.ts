import { describe, expect, test } from 'vitest'
import { contradictionsOf, tallyOf, type WebhookEvidence } from '../src/crash/verdict.ts'
import type { SeenRequest } from '../src/receivers/scriptedReceiver.ts'
import type { LoggedDelivery } from '../src/support/workspaces.ts'

const KILL = { at: 50_000, restartedAt: 50_100 }

const request = (changes: Partial<SeenRequest> = {}): SeenRequest => ({
  path: '/hook',
  eventId: 'evt_1',
  deliveryId: 'dlv_1',
  seenAt: 10_000,
  answeredAt: 10_005,
  status: 204,
  forgery: null,
  bodyHash: 'same',
  ...changes,
})

const delivery = (changes: Partial<LoggedDelivery> = {}): LoggedDelivery => ({
  id: 'dlv_1',
  eventId: 'evt_1',
  status: 'delivered',
  attempts: [{ number: 1, statusCode: 204, error: null }],
  ...changes,
})

const evidence = (changes: Partial<WebhookEvidence> = {}): WebhookEvidence => ({
  path: '/hook',
  log: [delivery()],
  requests: [request()],
  acknowledged: ['evt_1'],
  allAcknowledged: true,
  ...changes,
})

const found = (changes: Partial<WebhookEvidence>) => contradictionsOf(evidence(changes), [KILL]).join('\n')

test('what agrees contradicts nothing', () => {
  expect(found({})).toBe('')
})

describe('a contradiction is found when', () => {
  const second = { number: 2, statusCode: 204, error: null }
  const cases: [title: string, changes: Partial<WebhookEvidence>, words: string][] = [
    ['an acknowledged event did not arrive', { log: [], requests: [] }, 'never arrived'],
    [
      'all requests of an event failed',
      { requests: [request({ status: 503 })] },
      'no request was answered with success',
    ],
    ['a delivery stays pending', { log: [delivery({ status: 'pending' })] }, 'is pending in the end'],
    ['an event arrived that the log does not know', { log: [] }, 'is not in the log'],
    ['the log has an event twice', { log: [delivery(), delivery({ id: 'dlv_2' })] }, 'two deliveries'],
    [
      'the log has attempts that nobody saw',
      { log: [delivery({ attempts: [...delivery().attempts, second] })] },
      'has 2 attempts in the log, but 1 requests',
    ],
    ['attempts are numbered with gaps', { log: [delivery({ attempts: [second] })] }, 'gaps'],
    [
      'an attempt is missing far from any kill',
      { requests: [request(), request({ seenAt: 20_000, answeredAt: 20_005 })] },
      '1 unrecorded attempts, but only 0 kills',
    ],
    [
      'a request did not verify',
      { requests: [request({ forgery: 'signature_mismatch' })] },
      'did not verify',
    ],
    [
      'a repeat had another body',
      {
        requests: [request(), request({ seenAt: 50_000, answeredAt: 50_001, bodyHash: 'other' })],
      },
      'two bodies',
    ],
    [
      'a repeat had another delivery id',
      { requests: [request({ deliveryId: 'dlv_9' })] },
      'another delivery id, dlv_9',
    ],
    ['an event arrived that nobody published', { acknowledged: [] }, 'never acknowledged'],
  ]

  test.each(cases)('%s', (_title, changes, words) => {
    expect(found(changes)).toContain(words)
  })
})

describe('a kill excuses', () => {
  const repeat = (changes: Partial<SeenRequest>) => ({ requests: [request(changes), request()] })

  test('an attempt that ended just before it', () => {
    expect(found(repeat({ seenAt: 49_800, answeredAt: 49_900 }))).toBe('')
  })

  test('an attempt that was under way', () => {
    expect(found(repeat({ seenAt: 40_000, answeredAt: null, status: 204 }))).toBe('')
  })

  test('a request that it overtook on the way', () => {
    expect(found(repeat({ seenAt: 50_080, answeredAt: 50_090 }))).toBe('')
  })

  test('one attempt of a delivery, not two', () => {
    const near = request({ seenAt: 49_950, answeredAt: 49_960 })
    expect(found({ requests: [near, near, request()] })).toContain('2 unrecorded attempts, but only 1 kills')
  })
})

test('an event whose publish broke off may arrive, unless its publisher repeats until it is told', () => {
  expect(found({ acknowledged: [], allAcknowledged: false })).toBe('')
})

test('the tally tells repeats from duplicates', () => {
  const requests = [request({ status: 503 }), request(), request()]
  expect(tallyOf(evidence({ requests }))).toEqual({
    deliveries: 1,
    requests: 3,
    attemptsRecorded: 1,
    unrecorded: 2,
    duplicates: 1,
  })
})
