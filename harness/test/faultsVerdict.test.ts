import { describe, expect, test } from 'vitest'
import type { HookEvidence } from '../src/faults/evidence.ts'
import { Timeline } from '../src/faults/timeline.ts'
import {
  attempt,
  attempts,
  delivery,
  found,
  ON,
  publish,
  request,
  requests,
  SUBJECT,
  states,
} from './faults.madeUp.ts'

test('consistent records have no contradictions', () => {
  expect(found({})).toBe('')
})

type Case = readonly [title: string, changes: Partial<HookEvidence>, words: string]

describe('found is', () => {
  const cases: Case[] = [
    ['an acknowledged event that is lost', { deliveries: [], requests: [] }, 'evt_1 has no delivery'],
    [
      'an event for a webhook that was off',
      { states: states([5_000, { status: 'off' }]) },
      'though the webhook was not to get it',
    ],
    [
      'an event for a webhook that was paused',
      { states: states([5_000, { status: 'paused' }], [20_000, { status: 'on' }]) },
      'though the webhook was not to get it',
    ],
    [
      'an event for a webhook that was deleted, and whose log is gone',
      { states: states([5_000, { status: 'deleted' }]), deliveries: null },
      'though the webhook was not to get it',
    ],
    [
      'an event that the filter does not let through',
      { states: states([5_000, { types: ['rare'] }]) },
      'though the webhook was not to get it',
    ],
    [
      'a request long after the webhook was disabled',
      {
        states: states([11_000, { status: 'off' }]),
        requests: [...requests(503), request({ seenAt: 14_000 })],
      },
      'had not been on for a while',
    ],
    ['an event that was never published', { publishes: [] }, 'was never published'],
    [
      'an event under another id than was acknowledged',
      { publishes: [publish({ events: [{ subject: SUBJECT, type: 'common', id: 'evt_2' }] })] },
      'was acknowledged as evt_2',
    ],
    [
      'an event that was stored twice',
      {
        requests: [request(), request({ eventId: 'evt_2' })],
        deliveries: [delivery(), delivery({ id: 'dlv_2', eventId: 'evt_2' })],
      },
      'stored twice',
    ],
    [
      'an event in the log that was never published',
      {
        deliveries: [
          delivery(),
          delivery({ id: 'dlv_2', eventId: 'evt_2', status: 'canceled', attempts: [] }),
        ],
      },
      '1 unknown events, but 0 were not acknowledged',
    ],
    [
      'two deliveries of one event',
      { deliveries: [delivery(), delivery({ id: 'dlv_2' })] },
      'two deliveries of one event',
    ],
    ['a forged request', { requests: [request({ signedBy: [], forgery: 'no match' })] }, 'did not verify'],
    [
      'a repeat with another body',
      { requests: [request(), request({ body: '{"data":{}}' })] },
      'came with two bodies',
    ],
    [
      'a signature by a secret that was replaced',
      {
        secrets: [
          { begin: 1_000, end: 1_010 },
          { begin: 2_000, end: 2_010 },
        ],
      },
      'signed only with an old secret',
    ],
    [
      'one signature while two secrets overlap',
      {
        secrets: [
          { begin: 1_000, end: 1_010 },
          { begin: 2_000, end: 2_010 },
        ],
        requests: [request({ signedBy: [1] })],
      },
      'one secret while two overlap',
    ],
    ['a URL that was replaced', { states: states([5_000, { path: '/hook/2' }]) }, 'came to the old /hook'],
    [
      'a test without a delivery',
      { sends: [{ kind: 'test', hook: 'hook', begin: 9_000, delivery: 'dlv_9', eventId: 'evt_9' }] },
      'the test evt_9 has no delivery',
    ],
    ['an arrival that the log does not know', { deliveries: [] }, 'is not in the log'],
    [
      'another delivery id on the wire',
      { requests: [request({ deliveryId: 'dlv_9' })] },
      'came under another id',
    ],
    [
      'an attempt that no receiver saw',
      { deliveries: [delivery({ status: 'delivered', attempts: attempts(503, 204) })] },
      'has an attempt 1, 503, that no receiver saw',
    ],
    [
      'a status that was never answered',
      { deliveries: [delivery({ attempts: attempts(200) })] },
      'has an attempt 1, 200, that no receiver saw',
    ],
    [
      'a failure to connect to a receiver that was well',
      {
        deliveries: [
          delivery({
            attempts: [attempt({ statusCode: null, error: 'connect_failed' }), attempt({ number: 2 })],
          }),
        ],
      },
      'connect_failed for attempt 1',
    ],
    [
      'a second request of one attempt, long after the first',
      {
        honest: false,
        requests: [request({ status: null, seenAt: 4_000, closedAt: 4_000 }), request()],
        deliveries: [delivery({ attempts: attempts(204) })],
      },
      'came 1 times more than the log says, but 0 faults',
    ],
    [
      'a third request of one attempt',
      {
        honest: false,
        requests: requests(503, 503, 204),
        deliveries: [delivery({ attempts: attempts(204) })],
      },
      'came 1 times more than the log says, but 0 faults',
    ],
    [
      'an attempt that is missing far from any fault',
      { requests: requests(503, 204) },
      'came 1 times more than the log says, but 0 faults',
    ],
  ]

  test.each(cases)('%s', (_title, changes, words) => {
    expect(found(changes)).toContain(words)
  })
})

describe('nothing is reported for', () => {
  const cases: [title: string, changes: Partial<HookEvidence>][] = [
    [
      'an event that arrives or not while its webhook is being disabled',
      { states: states([9_995, { status: 'off' }]) },
    ],
    [
      'an event that does not come then either',
      { states: states([9_995, { status: 'off' }]), deliveries: [], requests: [] },
    ],
    [
      'an event that was not acknowledged and is nowhere',
      {
        publishes: [
          publish({ acknowledgedAt: null, events: [{ subject: SUBJECT, type: 'common', id: null }] }),
        ],
        deliveries: [],
        requests: [],
      },
    ],
    [
      'an event that was not acknowledged and still arrived',
      {
        publishes: [
          publish({ acknowledgedAt: null, events: [{ subject: SUBJECT, type: 'common', id: null }] }),
        ],
      },
    ],
    [
      'a retry under the new URL',
      {
        states: states([10_050, { path: '/hook/2' }]),
        requests: [...requests(503), request({ seenAt: 10_100, path: '/hook/2' })],
        deliveries: [delivery({ attempts: attempts(503, 204) })],
      },
    ],
    [
      'a timeout, whether the request arrived or not',
      {
        deliveries: [
          delivery({ attempts: [attempt({ statusCode: null, error: 'timeout' }), attempt({ number: 2 })] }),
        ],
      },
    ],
    [
      'a request that was sent again because its connection was reset',
      {
        honest: false,
        requests: [request({ status: null }), request({ seenAt: 10_050 })],
        deliveries: [delivery({ attempts: attempts(204) })],
      },
    ],
    [
      'a request whose connection was reset and could not be replaced',
      {
        honest: false,
        requests: [request({ status: null }), request({ seenAt: 16_000 })],
        deliveries: [
          delivery({
            attempts: [attempt({ statusCode: null, error: 'connect_failed' }), attempt({ number: 2 })],
          }),
        ],
      },
    ],
    [
      'an answer that came too late to count',
      {
        requests: requests(204, 204),
        deliveries: [
          delivery({ attempts: [attempt({ statusCode: null, error: 'timeout' }), attempt({ number: 2 })] }),
        ],
      },
    ],
  ]

  test.each(cases)('%s', (_title, changes) => {
    expect(found(changes)).toBe('')
  })
})

test('events of a suspended workspace are not delivered', () => {
  const suspended = new Timeline(false)
  suspended.become(true, 5_000, 5_010)
  expect(found({ suspended })).toContain('though the webhook was not to get it')
})

test('a webhook that a 410 may have disabled may get an event or not', () => {
  const gone = states()
  gone.mayBecome({ ...ON, status: 'off' }, 5_000)
  expect(found({ states: gone })).toBe('')
  expect(found({ states: gone, deliveries: [], requests: [] })).toBe('')
})
