import { beforeAll, describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../../src/core/delivery.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { type DeliveryPolicy, judge } from '../../src/core/policy.ts'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'
import { mostInFlight } from './oracle/inFlight.ts'
import { type Crowd, everyMinute, longestWait, planOfCrowds, promptly } from './plans/crowds.ts'
import { Draws } from './plans/draws.ts'
import { countPer, mean, peak } from './plans/rates.ts'
import { answer } from './receivers/receivers.ts'
import { type Run, report, runInMemory } from './run.ts'
import { PATIENCE_MS, seedsOr } from './seeds.ts'

// Receivers are down for an hour. Times are milliseconds from the start.
const DOWN_AT = 12 * MINUTE_MS
const UP_AT = DOWN_AT + HOUR_MS
const LASTS_MS = UP_AT + 50 * MINUTE_MS

const [seed] = seedsOr(41)
const draws = new Draws(seed)

/**
 * Seconds of recovery, with the attempts in each: from the end of the outage as long as there is more to do
 * than usual, up to the first minute with at most a tenth more attempts than before the outage. Deliveries
 * that failed early in the outage then wait for another hour or more; including that time would only lower
 * the mean.
 * @param attempts times of all attempts
 */
function recovery(attempts: readonly number[]): number[] {
  const usual = mean(countPer(MINUTE_MS, attempts, 0, DOWN_AT))
  const minutes = countPer(MINUTE_MS, attempts, UP_AT, LASTS_MS).findIndex((count) => count <= 1.1 * usual)
  expect(minutes).toBeGreaterThan(0)
  return countPer(SECOND_MS, attempts, UP_AT, UP_AT + minutes * MINUTE_MS)
}

const seconds = (counts: readonly number[]) =>
  `${peak(counts)} attempts in the busiest second of ${counts.length}, ${mean(counts).toFixed(1)} in all on average`

describe('receivers that reject everything', () => {
  const REFUSED: AttemptOutcome = {
    error: { code: 'connect_failed', fault: 'connect_failed', message: 'refused' },
    ...{ statusCode: null, contentType: null, body: null, retryAfter: null, newConnection: true },
  }
  const PER_SECOND = 100
  const random = draws.stream(80)

  /** Times of a delivery's attempts. Rejections delay nothing, so only the policy determines them. */
  function* attemptsOf(policy: DeliveryPolicy, publishedAt: number): Iterable<number> {
    let at = publishedAt
    for (let attempts = 0; ; attempts++) {
      yield at
      if (at < DOWN_AT || at >= UP_AT) return
      const progress = { attempts, trigger: 'schedule', runStart: 0, retryNumber: null } as const
      const verdict = judge({ policy, progress, outcome: REFUSED, finishedAt: at, random: random() })
      if (verdict.status !== 'pending') return
      at = verdict.nextAttemptAt
    }
  }

  test.each([
    ['content', [contentService().policy]],
    ['ads', [adsService().policy]],
    ['both', [contentService().policy, adsService().policy]],
  ])('recover without a storm of retries: %s', (_, policies) => {
    const attempts: number[] = []
    for (let i = 0; i < (PER_SECOND * LASTS_MS) / SECOND_MS; i++)
      attempts.push(...attemptsOf(policies[i % policies.length]!, draws.of(81, i) * LASTS_MS))
    const counts = recovery(attempts)
    process.stdout.write(`Simulated ${attempts.length} attempts, seed ${seed}: ${seconds(counts)}\n`)
    expect(peak(counts)).toBeLessThanOrEqual(3 * mean(counts))
    const [during, after] = [[DOWN_AT, UP_AT] as const, [UP_AT, LASTS_MS] as const].map((times) =>
      peak(countPer(MINUTE_MS, attempts, ...times)),
    )
    expect(after).toBeLessThanOrEqual(during!)
  })
})

/**
 * 6,000 of them, and twice the default slots: of 3,000 receivers, ten get an attempt in a mean second, and
 * chance makes that thirty in some second or other.
 */
describe('receivers that hang', () => {
  let run: Run
  let counts: readonly number[]

  beforeAll(async () => {
    const prompt = promptly(draws)
    const crowd: Omit<Crowd, 'dialect'> = {
      // Events that go to several webhooks would be bursts of their own.
      workspaces: 3000,
      webhooksEach: 1,
      answerTo: (request) => (request.at >= DOWN_AT && request.at < UP_AT ? answer('none') : prompt(request)),
      publish: (workspace) =>
        Array.from({ length: Math.round((6 * LASTS_MS) / HOUR_MS) }, (_, i) => ({
          at: draws.between(0, LASTS_MS - 1, 82, workspace, i),
          events: 1,
        })),
    }
    const crowds: Crowd[] = [
      { ...crowd, dialect: 'content' },
      { ...crowd, dialect: 'ads' },
    ]
    const plan = { ...planOfCrowds(draws, crowds, LASTS_MS), maxInFlight: 1024 }
    run = await runInMemory(plan, { overdueMs: SECOND_MS })
    counts = recovery(run.arrivals.map(({ at }) => at - run.startedAt))
    report(run, seed, seconds(counts))
  }, PATIENCE_MS)

  test('get all late deliveries within six minutes, and later ones at once', () => {
    expect(run.faults).toEqual([])
    for (const { dueAt, lateMs } of run.lateness) {
      const due = dueAt - run.startedAt
      if (due + lateMs >= UP_AT + 6 * MINUTE_MS) expect(lateMs).toBeLessThanOrEqual(100)
    }
  })

  test('recover without a storm of retries', () => {
    expect(peak(counts)).toBeLessThanOrEqual(3 * mean(counts))
  })
})

describe('a receiver that recovers with 20,000 deliveries waiting', () => {
  const prompt = promptly(draws)
  const EVENTS = 20_000
  const BACK_AT = 30 * MINUTE_MS
  let run: Run

  beforeAll(async () => {
    const hung: Crowd = {
      dialect: 'content',
      workspaces: 1,
      webhooksEach: 1,
      answerTo: (request) => (request.at < BACK_AT ? answer('none') : prompt(request)),
      publish: () => Array.from({ length: EVENTS / 10 }, (_, i) => ({ at: MINUTE_MS + i * 500, events: 10 })),
    }
    const neighbors: Crowd = {
      dialect: 'ads',
      workspaces: 30,
      webhooksEach: 10,
      answerTo: prompt,
      publish: everyMinute(draws, 0, BACK_AT + 10 * MINUTE_MS),
    }
    const plan = planOfCrowds(draws, [hung, neighbors], BACK_AT + 10 * MINUTE_MS)
    run = await runInMemory(plan, { overdueMs: SECOND_MS })
    report(run, seed, `neighbors waited up to ${longestWait(run, [1, 301], 0)} ms`)
  }, PATIENCE_MS)

  test('gets them as fast as it answers, ten at a time, without an effect on its neighbors', () => {
    expect(run.faults).toEqual([])
    expect(mostInFlight(run.arrivals).toOne).toBeLessThanOrEqual(10)
    expect(longestWait(run, [1, 301], 0)).toBeLessThanOrEqual(100)
    const received = run.arrivals.filter(
      ({ receiver, answer: { status } }) => receiver === 0 && status === 204,
    )
    expect(received).toHaveLength(EVENTS)
    // 160 ms on average, ten at a time, and a tenth more.
    const took = received.at(-1)!.at - run.startedAt - BACK_AT
    expect(took).toBeLessThanOrEqual(1.1 * (EVENTS / 10) * 160)
  })
})
