import { beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS, SECOND_MS } from '../../src/core/duration.ts'
import { Draws } from './plans/draws.ts'
import { peopleOver } from './plans/people.ts'
import { type PlanOfMany, planOfMany } from './plans/population.ts'
import { upBetween } from './receivers/behaviors.ts'
import { type Run, report, runInMemory } from './run.ts'
import { PATIENCE_MS, seedsOr } from './seeds.ts'

const LASTS_MS = 48 * HOUR_MS
/**
 * The longest time that a receiver's slots stay in use after it is up again: the content service's timeout.
 */
const LAST_HANG_MS = 15 * SECOND_MS
/** A burst of 100 events uses a webhook's 10 slots, each answered within 300 ms. */
const PROMPT_LINE_MS = 10 * 300 + 100
/** The same with answers of up to 9 s. */
const SLOW_LINE_MS = 10 * 9 * SECOND_MS + 100

const [first, ...others] = seedsOr(1, 2, 3)
const simulations = [{ seed: first, count: 10_000 }, ...others.map((seed) => ({ seed, count: 1_000 }))]

describe.each(simulations)('48 hours of $count webhooks of mixed health, seed $seed', ({ seed, count }) => {
  let plan: PlanOfMany
  let run: Run

  beforeAll(async () => {
    plan = planOfMany(new Draws(seed), count, LASTS_MS)
    run = await runInMemory(plan, {
      overdueMs: SLOW_LINE_MS,
      people: { everyMs: HOUR_MS, over: (store) => peopleOver(store, plan.draws) },
    })
    report(run, seed, `${run.faults.length} faults`)
  }, PATIENCE_MS)

  test('every delivery, webhook and message follows the contracts', () => {
    expect(run.faults).toEqual([])
    expect(run.complaints).toEqual([])
  })

  test('everything in the contracts has happened', () => {
    const { counts } = run
    for (const status of ['pending', 'delivered', 'failed', 'dead', 'canceled'])
      expect(counts).toHaveProperty(status)
    for (const event of ['warned', 'failing', 'gone', 'turned on', 'replay'])
      expect(counts).toHaveProperty(event)
    // Replayed, and dead once more.
    expect(run.store.deliveries.some(({ attempts }) => attempts.length === 16)).toBe(true)
    const characters = new Set(plan.receivers.map(({ character }) => character))
    expect(characters.size).toBe(10)
  })

  test('receivers that are up get due deliveries at once, whatever happens at the others', () => {
    const late = { prompt: 0, slow: 0 }
    for (const { receiver: number, dueAt, lateMs } of run.lateness) {
      const receiver = plan.receivers[number]!
      const due = dueAt - run.startedAt
      const pace = receiver.character === 'slow' ? 'slow' : 'prompt'
      if (upBetween(receiver, due - LAST_HANG_MS, due + lateMs)) late[pace] = Math.max(late[pace], lateMs)
    }
    expect(late.prompt).toBeLessThanOrEqual(PROMPT_LINE_MS)
    expect(late.slow).toBeLessThanOrEqual(SLOW_LINE_MS)
  })
})
