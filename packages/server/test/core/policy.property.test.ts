import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttemptOutcome, Progress, RunTrigger } from '../../src/core/delivery.ts'
import { nextTrigger } from '../../src/core/delivery.ts'
import { type DeliveryPolicy, judge } from '../../src/core/policy.ts'
import { RETRY_AFTER_CAP_MS } from '../../src/core/retryAfter.ts'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'

const content = contentService().policy
const ads = adsService().policy
const NOW = Date.UTC(2026, 5, 1)

const success: AttemptOutcome = {
  error: null,
  statusCode: 200,
  contentType: null,
  body: null,
  retryAfter: null,
  newConnection: true,
}

function failed(statusCode: number | null, retryAfter: string | null = null): AttemptOutcome {
  return {
    ...success,
    error: { code: 'http_status', fault: 'status', message: 'no' },
    statusCode,
    retryAfter,
  }
}

const waits = fc.array(fc.integer({ min: 1, max: 36 * 3600_000 }), { maxLength: 20 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const fullRun = fc.constantFrom<RunTrigger>('schedule', 'replay', 'recover')
/** Past attempts of a delivery do not count against a new run. */
const earlier = fc.nat({ max: 500 })
const notGone = fc.constantFrom(null, 199, 300, 302, 400, 404, 429, 500, 503, 599)
const anyPolicy: fc.Arbitrary<DeliveryPolicy> = fc.record({
  timeoutMs: fc.constant(1000),
  waitsMs: waits,
  jitter: fc.constant(0.1),
  honorsRetryAfter: fc.constant(true),
  exhaustedStatus: fc.constantFrom('failed', 'dead'),
  resends: fc.constant({
    redeliver: { from: ['delivered'], attempts: 'one' },
    replay: { from: ['dead'], attempts: 'schedule' },
    recover: { from: ['dead', 'canceled'], attempts: 'schedule' },
  } as const),
  pauseHolds: fc.boolean(),
  goneEndsDelivery: fc.boolean(),
  health: fc.constant(content.health),
})

/** The number of attempts of a run when each ends with `outcome`, and its final state. */
function exhaust(policy: DeliveryPolicy, trigger: RunTrigger, runStart: number, outcome: AttemptOutcome) {
  let progress: Progress = { attempts: runStart, trigger, runStart, retryNumber: null }
  for (let made = 1; made <= policy.waitsMs.length + 2; made++) {
    const verdict = judge({ policy, progress, outcome, finishedAt: NOW, random: 0.5 })
    if (verdict.status !== 'pending') return { made, status: verdict.status }
    progress = { ...progress, attempts: progress.attempts + 1 }
  }
  throw new Error('the run does not end')
}

describe('judge', () => {
  test('makes exactly one attempt more than there are waits, whatever the schedule and the past', () => {
    fc.assert(
      fc.property(anyPolicy, fullRun, earlier, notGone, (policy, trigger, runStart, statusCode) => {
        expect(exhaust(policy, trigger, runStart, failed(statusCode))).toEqual({
          made: policy.waitsMs.length + 1,
          status: policy.exhaustedStatus,
        })
      }),
    )
  })

  test('makes 8 attempts under both contracts, ending failed in content and dead in ads', () => {
    expect(exhaust(content, 'schedule', 0, failed(500))).toEqual({ made: 8, status: 'failed' })
    expect(exhaust(ads, 'schedule', 0, failed(500))).toEqual({ made: 8, status: 'dead' })
    expect(exhaust(ads, 'replay', 8, failed(500))).toEqual({ made: 8, status: 'dead' })
  })

  test('a wait is no longer than scheduled if the policy ignores Retry-After', () => {
    const progress: Progress = { attempts: 0, runStart: 0, trigger: 'schedule', retryNumber: null }
    const judged = (policy: DeliveryPolicy, retryAfter: string | null) =>
      judge({ policy, progress, outcome: failed(503, retryAfter), finishedAt: 0, random: 0.5 })
    const deaf = { ...content, honorsRetryAfter: false }
    expect(judged(deaf, '3600')).toEqual(judged(content, null))
    expect(judged(content, '3600')).not.toEqual(judged(content, null))
  })

  test('a redelivery is one attempt', () => {
    fc.assert(
      fc.property(anyPolicy, earlier, notGone, (policy, runStart, statusCode) => {
        const { made, status } = exhaust(policy, 'redeliver', runStart, failed(statusCode))
        expect({ made, status }).toEqual({ made: 1, status: policy.exhaustedStatus })
      }),
    )
  })

  test('each wait matches the schedule, within 10 %', () => {
    fc.assert(
      fc.property(anyPolicy, earlier, notGone, random, (policy, runStart, statusCode, random) => {
        policy.waitsMs.forEach((waitMs, position) => {
          const progress: Progress = {
            attempts: runStart + position,
            trigger: 'schedule',
            runStart,
            retryNumber: null,
          }
          const verdict = judge({ policy, progress, outcome: failed(statusCode), finishedAt: NOW, random })
          const waited = verdict.nextAttemptAt! - NOW
          // Time has a resolution of a millisecond.
          expect(Math.abs(waited - waitMs)).toBeLessThanOrEqual(waitMs * 0.1 + 0.5)
        })
      }),
    )
  })

  test('the jitter uses its whole range', () => {
    const first = (random: number) =>
      judge({
        policy: content,
        progress: { attempts: 1, trigger: 'schedule', runStart: 0, retryNumber: null },
        outcome: failed(500),
        finishedAt: 0,
        random,
      }).nextAttemptAt
    expect([first(0), first(0.5), first(1)]).toEqual([270_000, 300_000, 330_000])
  })

  test('Retry-After lengthens a wait, never shortens it, and is capped at 24 hours', () => {
    fc.assert(
      fc.property(
        anyPolicy.filter(({ waitsMs }) => waitsMs.length > 0),
        notGone,
        random,
        fc.integer({ min: 0, max: 1e9 }),
        (policy, statusCode, random, seconds) => {
          const progress: Progress = { attempts: 0, trigger: 'schedule', runStart: 0, retryNumber: null }
          const at = (retryAfter: string | null) =>
            judge({ policy, progress, outcome: failed(statusCode, retryAfter), finishedAt: NOW, random })
              .nextAttemptAt! - NOW
          const asked = Math.min(seconds * 1000, RETRY_AFTER_CAP_MS)
          expect(at(String(seconds))).toBe(Math.max(at(null), asked))
        },
      ),
    )
  })

  test('Retry-After does not change the number of attempts', () => {
    fc.assert(
      fc.property(anyPolicy, fc.string(), (policy, retryAfter) => {
        const { made } = exhaust(policy, 'schedule', 0, failed(503, retryAfter))
        expect(made).toBe(policy.waitsMs.length + 1)
      }),
    )
  })

  test('a 410 ends a content delivery at once', () => {
    const progress: Progress = { attempts: 0, trigger: 'schedule', runStart: 0, retryNumber: null }
    expect(
      judge({ policy: content, progress, outcome: failed(410, '60'), finishedAt: NOW, random: 0 }),
    ).toEqual({ status: 'failed', nextAttemptAt: null, signal: 'gone' })
  })

  test('a 410 is a failure like any other in ads', () => {
    expect(exhaust(ads, 'schedule', 0, failed(410))).toEqual({ made: 8, status: 'dead' })
  })

  test('success delivers, whatever came before', () => {
    fc.assert(
      fc.property(
        anyPolicy,
        fc.constantFrom<RunTrigger>('schedule', 'redeliver', 'replay', 'recover', 'test'),
        earlier,
        earlier,
        random,
        (policy, trigger, runStart, made, random) => {
          const progress: Progress = { attempts: runStart + made, trigger, runStart, retryNumber: null }
          expect(judge({ policy, progress, outcome: success, finishedAt: NOW, random })).toEqual({
            status: 'delivered',
            nextAttemptAt: null,
            signal: trigger === 'test' ? 'none' : 'success',
          })
        },
      ),
    )
  })

  test('only the first attempt of a run has its trigger', () => {
    fc.assert(
      fc.property(fullRun, earlier, fc.integer({ min: 1, max: 20 }), (trigger, runStart, further) => {
        const progress = { trigger, runStart, retryNumber: null }
        expect(nextTrigger({ ...progress, attempts: runStart })).toBe(trigger)
        expect(nextTrigger({ ...progress, attempts: runStart + further })).toBe('schedule')
      }),
    )
  })
})

test("the default schedules match the services' documentation", () => {
  const [s, m, h] = [1000, 60_000, 3_600_000]
  expect(content.waitsMs).toEqual([5 * s, 5 * m, 30 * m, 2 * h, 5 * h, 8 * h, 9 * h])
  expect(ads.waitsMs).toEqual([30 * s, 90 * s, 270 * s, 810 * s, 2430 * s, 2 * h, 6 * h])
  expect([content.timeoutMs, ads.timeoutMs]).toEqual([15 * s, 10 * s])
})
