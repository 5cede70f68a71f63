import { describe, expect, test } from 'vitest'
import type { HookEvidence, ManualSend } from '../src/faults/evidence.ts'
import { attempt, attempts, delivery, found, request, requests, states } from './faults.madeUp.ts'

const EIGHT = [503, 503, 503, 503, 503, 503, 503, 503]

const send = (changes: Partial<ManualSend> = {}): ManualSend => ({
  kind: 'redeliver',
  hook: 'hook',
  begin: 10_500,
  delivery: 'dlv_1',
  eventId: null,
  ...changes,
})

/** A delivery that failed for good and was sent again. */
const again = (trigger: 'redeliver' | 'replay', ...codes: readonly number[]) =>
  attempts(...EIGHT, ...codes).map((one, i) => (i === EIGHT.length ? { ...one, trigger } : one))

describe('found is', () => {
  const cases: [title: string, changes: Partial<HookEvidence>, words: string][] = [
    [
      'a delivery that is left pending',
      { deliveries: [delivery({ status: 'pending', attempts: [] })] },
      'is pending when all is calm',
    ],
    [
      'a gap in the numbers of attempts',
      { deliveries: [delivery({ attempts: [attempt({ number: 2 })] })] },
      'gaps',
    ],
    [
      'a state of the other service',
      { deliveries: [delivery({ status: 'dead' })] },
      'is dead, which is no state of this service',
    ],
    [
      'more attempts than the schedule has',
      { deliveries: [delivery({ attempts: attempts(...EIGHT, 204) })], requests: requests(...EIGHT, 204) },
      'has 9 attempts in a run of 8',
    ],
    [
      'an attempt after a success',
      { deliveries: [delivery({ attempts: attempts(204, 204) })], requests: requests(204, 204) },
      'attempted again after a success',
    ],
    [
      'an attempt after a 410',
      { deliveries: [delivery({ attempts: attempts(410, 204) })], requests: requests(410, 204) },
      'attempted again after a 410',
    ],
    [
      'a delivered delivery whose last attempt failed',
      { deliveries: [delivery({ attempts: attempts(503) })], requests: requests(503) },
      'delivered without a successful last attempt',
    ],
    [
      'a delivery whose retries ended early',
      { deliveries: [delivery({ status: 'failed', attempts: attempts(503) })], requests: requests(503) },
      'is failed with attempts left',
    ],
    [
      'a cancellation without a reason',
      { deliveries: [delivery({ status: 'canceled', attempts: [] })], requests: [] },
      'is canceled, though its webhook was never off',
    ],
    [
      'a redelivery without a request',
      {
        deliveries: [delivery({ attempts: again('redeliver', 204) })],
        requests: requests(...EIGHT, 204),
      },
      'has 1 runs by redeliver, but 0 were asked for',
    ],
    [
      'a redelivery that was accepted and not made',
      { sends: [send()] },
      'has 0 runs by redeliver, but 1 were accepted',
    ],
    [
      'a redelivery with a second attempt',
      {
        sends: [send()],
        deliveries: [delivery({ attempts: again('redeliver', 503, 204) })],
        requests: requests(...EIGHT, 503, 204),
      },
      'has 2 attempts in a run of 1',
    ],
  ]

  test.each(cases)('%s', (_title, changes, words) => {
    expect(found(changes)).toContain(words)
  })
})

describe('nothing is reported for', () => {
  const cases: [title: string, changes: Partial<HookEvidence>][] = [
    [
      'a pending delivery of a paused webhook',
      {
        states: states([10_500, { status: 'paused' }]),
        deliveries: [delivery({ status: 'pending', attempts: attempts(503) })],
        requests: requests(503),
      },
    ],
    [
      'a cancellation by disabling the webhook',
      {
        states: states([10_500, { status: 'off' }]),
        deliveries: [delivery({ status: 'canceled', attempts: attempts(503) })],
        requests: requests(503),
      },
    ],
    [
      'a delivery that a 410 ended',
      { deliveries: [delivery({ status: 'failed', attempts: attempts(410) })], requests: requests(410) },
    ],
    [
      'a full schedule that failed and was redelivered',
      {
        sends: [send()],
        deliveries: [delivery({ attempts: again('redeliver', 204) })],
        requests: requests(...EIGHT, 204),
      },
    ],
    [
      'a redelivery that disabling overtook',
      { sends: [send()], states: states([10_600, { status: 'off' }]) },
    ],
  ]

  test.each(cases)('%s', (_title, changes) => {
    expect(found(changes)).toBe('')
  })

  test('a replay of all dead deliveries', () => {
    const replayed = again('replay', 503, 204)
    const changes: Partial<HookEvidence> = {
      dialect: 'ads',
      sends: [send({ kind: 'bulk replay', delivery: null })],
      deliveries: [delivery({ attempts: replayed })],
      requests: requests(...EIGHT, 503, 204).map((one) => ({
        ...one,
        body: JSON.stringify({ entityId: JSON.parse(request().body).data.subject_id.slice('sch_'.length) }),
      })),
    }
    expect(found(changes)).toBe('')
    expect(found({ ...changes, sends: [] })).toContain('has 1 runs by replay, but 0 were asked for')
  })
})
