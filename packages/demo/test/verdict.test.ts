import { describe, expect, it } from 'vitest'
import type { LoggedAttempt, LoggedDelivery } from '../src/accounts/account.ts'
import { type Evidence, type ExpectedEvent, judge, type SeenRequest } from '../src/story/verdict.ts'

const envelope = { type: 'plan.ready', data: { plan: 'spring' } }

const event: ExpectedEvent = {
  id: 'evt_1',
  type: 'plan.ready',
  envelope,
  end: 'delivered',
  failedAttempts: 8,
  resent: null,
}

function request(changes: Partial<SeenRequest> = {}): SeenRequest {
  return { eventId: 'evt_1', repeatKey: 'evt_1', verified: true, status: 200, body: envelope, ...changes }
}

function attempt(statusCode: number | null, trigger = 'schedule'): LoggedAttempt {
  const errorCode = statusCode === null ? 'timeout' : statusCode < 300 ? null : 'http_status'
  return { trigger, startedAt: 0, durationMs: 1, statusCode, errorCode }
}

function delivery(attempts: readonly LoggedAttempt[], changes: Partial<LoggedDelivery> = {}): LoggedDelivery {
  const base = { id: 'dlv_1', eventId: 'evt_1', eventType: 'plan.ready', nextAttemptAt: null }
  return { ...base, status: 'delivered', attempts, ...changes }
}

/** A receiver that got its one event at the first try; each test states the difference. */
function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    receiver: 'Blog',
    expected: [event],
    requests: [request()],
    log: [delivery([attempt(200)])],
    state: 'enabled',
    expectedState: 'enabled',
    forgeryStatus: 401,
    ...changes,
  }
}

function problems(changes: Partial<Evidence>): string[] {
  return judge([evidence(changes)]).problems.map(({ text }) => text)
}

describe('a successful run', () => {
  it('has no problem and counts its results', () => {
    expect(judge([evidence()])).toEqual({
      problems: [],
      tallies: [
        {
          receiver: 'Blog',
          meant: 1,
          attempts: 1,
          delivered: 1,
          verified: 1,
          duplicates: 0,
          state: 'enabled',
        },
      ],
    })
  })

  it('may have retries before the success', () => {
    const requests = [request({ status: 503 }), request({ status: 503 }), request()]
    const log = [delivery([attempt(503), attempt(503), attempt(200)])]
    expect(problems({ requests, log })).toEqual([])
  })

  it('may have a repeat that the service could not know about', () => {
    const requests = [request(), request()]
    const log = [delivery([attempt(null), attempt(200)])]
    const verdict = judge([evidence({ requests, log })])
    expect(verdict.problems).toEqual([])
    expect(verdict.tallies[0]).toMatchObject({ delivered: 1, verified: 1, duplicates: 1 })
  })

  it('may have an event without attempts left when that is expected', () => {
    const attempts = Array.from({ length: 8 }, () => attempt(null))
    const requests = attempts.map(() => request({ status: null }))
    const log = [delivery(attempts, { status: 'failed' })]
    expect(problems({ expected: [{ ...event, end: 'failed' }], requests, log })).toEqual([])
  })

  it('may have a replay after all attempts were used up', () => {
    const silent = Array.from({ length: 8 }, () => attempt(null))
    const log = [delivery([...silent, attempt(200, 'replay')])]
    const requests = [...silent.map(() => request({ status: null })), request()]
    expect(problems({ expected: [{ ...event, resent: 'replay' }], requests, log })).toEqual([])
  })
})

describe('a run fails', () => {
  it('without a receiver, or with one that has no events', () => {
    expect(judge([]).problems).toHaveLength(1)
    expect(problems({ expected: [], requests: [], log: [] })).toEqual([
      'It should have received at least one event, but received none.',
    ])
  })

  it('when an event is missing everywhere', () => {
    expect(problems({ requests: [], log: [] })).toEqual([
      'plan.ready did not arrive.',
      "plan.ready is not in the service's log.",
    ])
  })

  it('when the log says delivered and the receiver saw nothing', () => {
    expect(problems({ requests: [] })).toContain('plan.ready did not arrive.')
  })

  it('when the receiver got it and the log does not contain it', () => {
    expect(problems({ log: [] })).toEqual(["plan.ready is not in the service's log."])
    expect(problems({ log: [delivery([attempt(503)])] })).toHaveLength(1)
  })

  it('when an event is still pending', () => {
    const pending = delivery([attempt(503)], { status: 'pending' })
    expect(problems({ requests: [request({ status: 503 })], log: [pending] })).toEqual([
      'plan.ready did not arrive.',
      'plan.ready is pending in the log, but should be delivered.',
    ])
  })

  it('when a request could not be verified, even if a later one could', () => {
    const requests = [request({ verified: false, status: 401 }), request()]
    const log = [delivery([attempt(401), attempt(200)])]
    expect(problems({ requests, log })).toEqual(['It could not verify 1 of 2 requests.'])
  })

  it('when an unverified request was accepted', () => {
    expect(problems({ requests: [request({ verified: false })] })).toContain(
      'plan.ready arrived, but its contents or signature were wrong.',
    )
  })

  it('when the body differs from the published one', () => {
    const body = { type: 'plan.ready', data: { plan: 'autumn' } }
    expect(problems({ requests: [request({ body })] })).toEqual([
      'plan.ready arrived, but its contents or signature were wrong.',
    ])
  })

  it('when a delivered event is sent again though the log knew of the success', () => {
    const log = [delivery([attempt(200), attempt(200)])]
    const verdict = judge([evidence({ requests: [request(), request()], log })])
    expect(verdict.problems.map(({ text }) => text)).toEqual([
      'plan.ready was sent again after it had arrived, without a redelivery.',
    ])
    expect(verdict.tallies[0]).toMatchObject({ delivered: 1, duplicates: 1 })
  })

  it('when duplicates of one event replace another', () => {
    const expected = [event, { ...event, id: 'evt_2', type: 'plan.saved' }]
    const verdict = judge([evidence({ expected, requests: [request(), request()] })])
    expect(verdict.tallies[0]).toMatchObject({ meant: 2, delivered: 1, verified: 1 })
    expect(verdict.problems.map(({ text }) => text)).toContain('plan.saved did not arrive.')
  })

  it('when a receiver saw more requests than the log has attempts', () => {
    expect(problems({ requests: [request(), request()] })).toEqual([
      'plan.ready: the log differs from the responses of the receiver (200, 200).',
    ])
  })

  it('when the log has another status than the receiver sent', () => {
    const requests = [request({ status: 500 }), request()]
    const log = [delivery([attempt(503), attempt(200)])]
    expect(problems({ requests, log })).toHaveLength(1)
  })

  it('when an event is twice in the log', () => {
    const log = [delivery([attempt(200)]), delivery([attempt(200)], { id: 'dlv_2' })]
    expect(problems({ log })).toEqual(["plan.ready is in the service's log 2 times."])
  })

  it('when its attempts carry different ids, or none', () => {
    const log = [delivery([attempt(503), attempt(200)])]
    const requests = [request({ status: 503, repeatKey: 'evt_0' }), request()]
    expect(problems({ requests, log })).toEqual(['plan.ready arrived with 2 different ids.'])
    expect(problems({ requests: [request({ repeatKey: null })] })).toHaveLength(1)
  })

  it('when an unexpected event arrived at the receiver', () => {
    const requests = [request(), request({ eventId: 'evt_9', repeatKey: 'evt_9' })]
    expect(problems({ requests })).toEqual([
      'It received 1 requests for events that it is not subscribed to.',
    ])
    const log = [delivery([attempt(200)]), delivery([], { id: 'dlv_9', eventId: 'evt_9' })]
    expect(problems({ log })).toEqual(['The log has 1 deliveries of events that it is not subscribed to.'])
  })

  it('when an event arrives that should not', () => {
    expect(problems({ expected: [{ ...event, end: 'failed', failedAttempts: 1 }] })).toEqual([
      'plan.ready arrived, but should not have.',
      'plan.ready is delivered in the log, but should be failed.',
    ])
  })

  it('when retries of an event end too early', () => {
    const log = [delivery([attempt(503)], { status: 'failed' })]
    const expected: ExpectedEvent[] = [{ ...event, end: 'failed' }]
    expect(problems({ expected, requests: [request({ status: 503 })], log })).toEqual([
      'plan.ready had 1 attempts before it failed; expected 8.',
    ])
  })

  it('when a requested redelivery or replay did not happen', () => {
    expect(problems({ expected: [{ ...event, resent: 'redeliver' }] })).toEqual([
      'plan.ready was sent again, but did not arrive again.',
      'plan.ready: attempts started by hand were none, expected redeliver.',
    ])
    expect(problems({ expected: [{ ...event, resent: 'replay', failedAttempts: 1 }] })).toEqual([
      'plan.ready: attempts started by hand were none, expected replay.',
    ])
  })

  it('when the webhook is in another state than expected', () => {
    expect(problems({ expectedState: 'disabled (gone)' })).toEqual([
      'Its webhook is enabled, but should be disabled (gone).',
    ])
  })

  it('when a tampered request was accepted, or none was sent', () => {
    expect(problems({ forgeryStatus: 200 })).toHaveLength(1)
    expect(problems({ forgeryStatus: null })).toHaveLength(1)
  })

  it('when only one of several receivers has a problem', () => {
    const verdict = judge([evidence(), evidence({ receiver: 'Chat', requests: [] })])
    expect(new Set(verdict.problems.map(({ receiver }) => receiver))).toEqual(new Set(['Chat']))
  })
})
