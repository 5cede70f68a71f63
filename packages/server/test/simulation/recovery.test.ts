import { beforeAll, describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../../src/core/delivery.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { type DeliveryPolicy, judge } from '../../src/core/policy.ts'
import { ADS_DEFAULTS, adsDialect } from '../../src/dialects/ads/dialect.ts'
import { CONTENT_DEFAULTS, contentDialect } from '../../src/dialects/content/dialect.ts'
import { type Crowd, planOfCrowds, promptly } from './crowds.ts'
import { Draws } from './draws.ts'
import { countPer, mean, peak } from './rates.ts'
import { answer } from './receivers.ts'
import { type Run, report, runInMemory } from './run.ts'
import { PATIENCE_MS, seedsOr } from './seeds.ts'

// 3,000 receivers are down for an hour. Times are milliseconds from the start.
const DOWN_AT = 12 * MINUTE_MS
const UP_AT = DOWN_AT + HOUR_MS
const LASTS_MS = UP_AT + 50 * MINUTE_MS

const [seed] = seedsOr(41)
const draws = new Draws(seed)

/**
 * Seconds of recovery, with the attempts in each: from the end of the outage for as long as there is more to do than
 * usual, up to the first minute with at most a tenth more attempts than the minutes before the outage had. What failed
 * early in the outage waits for another hour and more then. To take that time in would only make the mean smaller.
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

describe('receivers that refuse everything', () => {
  const REFUSED: AttemptOutcome = {
    error: { code: 'connect_failed', message: 'refused' },
    ...{ statusCode: null, contentType: null, body: null, retryAfter: null },
  }
  const PER_SECOND = 100
  const random = draws.stream(80)

  /** Times of a delivery's attempts. Refusals hold nothing up, so the policy alone says when they are. */
  function* attemptsOf(policy: DeliveryPolicy, publishedAt: number): Iterable<number> {
    let at = publishedAt
    for (let attempts = 0; ; attempts++) {
      yield at
      if (at < DOWN_AT || at >= UP_AT) return
      const progress = { attempts, trigger: 'schedule', runStart: 0 } as const
      const verdict = judge({ policy, progress, outcome: REFUSED, finishedAt: at, random: random() })
      if (verdict.status !== 'pending') return
      at = verdict.nextAttemptAt
    }
  }

  test.each([
    ['content', [contentDialect(CONTENT_DEFAULTS).policy]],
    ['ads', [adsDialect(ADS_DEFAULTS).policy]],
    ['both', [contentDialect(CONTENT_DEFAULTS).policy, adsDialect(ADS_DEFAULTS).policy]],
  ])('come back to no storm of retries: %s', (_, policies) => {
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

describe('receivers that hang', () => {
  let run: Run
  let counts: readonly number[]

  beforeAll(async () => {
    const prompt = promptly(draws)
    const crowd: Omit<Crowd, 'dialect'> = {
      // Events that go to several webhooks would be bursts of their own.
      workspaces: 1500,
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
    run = await runInMemory(planOfCrowds(draws, crowds, LASTS_MS), { overdueMs: SECOND_MS })
    counts = recovery(run.arrivals.map(({ at }) => at - run.startedAt))
    report(run, seed, seconds(counts))
  }, PATIENCE_MS)

  test('get all that fell behind within six minutes, and what falls due from then on at once', () => {
    expect(run.faults).toEqual([])
    for (const { dueAt, lateMs } of run.lateness) {
      const due = dueAt - run.startedAt
      if (due + lateMs >= UP_AT + 6 * MINUTE_MS) expect(lateMs).toBeLessThanOrEqual(100)
    }
  })

  test('come back to no storm of retries', () => {
    expect(peak(counts)).toBeLessThanOrEqual(3 * mean(counts))
  })
})
