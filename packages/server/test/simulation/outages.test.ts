import { beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { WAY_OUT_FAULTS, WAYS_OUT, type WayOutFault } from './nodes/wayOut.ts'
import { type Crowd, longestWait, planOfCrowds, promptly } from './plans/crowds.ts'
import { Draws } from './plans/draws.ts'
import { type Faults, NO_FAULTS } from './plans/faults.ts'
import { answer } from './receivers/receivers.ts'
import { type Run, report, runInMemory } from './run.ts'
import { PATIENCE_MS, seedsOr } from './seeds.ts'

// Times are milliseconds from the start.
const OUT_AT = 6 * HOUR_MS
const BACK_AT = OUT_AT + 48 * HOUR_MS
const LASTS_MS = BACK_AT + 20 * HOUR_MS
const EVERY_MS = 20 * MINUTE_MS

const [seed] = seedsOr(51)
const draws = new Draws(seed)
const prompt = promptly(draws)

/** An event every 20 minutes. */
const nowAndThen: Crowd['publish'] = (workspace) =>
  Array.from({ length: LASTS_MS / EVERY_MS - 2 }, (_, i) => ({
    at: MINUTE_MS + i * EVERY_MS + draws.between(0, EVERY_MS - 1, 91, workspace, i),
    events: 1,
  }))

const healthy: Crowd = {
  dialect: 'content',
  workspaces: 20,
  webhooksEach: 1,
  answerTo: prompt,
  publish: nowAndThen,
}
/** Dead from the beginning, so that a day of failing would end within the outage. */
const dead: Crowd = { ...healthy, workspaces: 4, answerTo: () => answer('refused', 5) }
const crowds = [healthy, { ...healthy, dialect: 'ads' as const, workspaces: 10 }, dead]
const HEALTHY = 30
const ALL = 34

/** Blocks the egress of these nodes. */
function closing(nodes: readonly number[], fault: WayOutFault, from: number, to: number): Faults {
  return {
    ...NO_FAULTS,
    nodes: 3,
    clocks: 'store',
    announceMs: () => 20,
    wayOutOf: (node, at) => (nodes.includes(node) && at >= from && at < to ? WAYS_OUT[fault] : null),
    disturbances: [[from - 20 * SECOND_MS, to + 30 * SECOND_MS]],
  }
}

/** When a webhook was disabled; milliseconds from the start. */
const disabledAt = ({ trace, startedAt }: Run, webhookId: number): number | null => {
  const entry = trace.entries.find((one) => one.kind === 'disabled' && one.webhookId === webhookId)
  return entry === undefined ? null : entry.at - startedAt
}

const all = process.env.POSTHORN_SIMULATION_RUNS !== undefined
const chosen = all ? WAY_OUT_FAULTS : WAY_OUT_FAULTS.slice(0, 2)

describe.each(chosen)('48 hours of %s on all nodes', (fault) => {
  let run: Run

  beforeAll(async () => {
    const plan = {
      ...planOfCrowds(draws, crowds, LASTS_MS),
      faults: closing([0, 1, 2], fault, OUT_AT, BACK_AT),
    }
    run = await runInMemory(plan, { overdueMs: SECOND_MS })
    const backAt = run.startedAt + BACK_AT
    const late = run.lateness
      .filter(({ dueAt, lateMs }) => dueAt + lateMs >= backAt && dueAt + lateMs < backAt + MINUTE_MS)
      .map(({ dueAt, lateMs }) => dueAt + lateMs - Math.max(backAt, dueAt))
      .sort((a, b) => a - b)
    const [p50, p99] = [0.5, 0.99].map((part) => late[Math.floor(late.length * part)])
    report(
      run,
      seed,
      `in the minute after it, ${late.length} requests, which had waited for ${p50} ms (median) and ${p99} ms (99 %)`,
    )
  }, PATIENCE_MS)

  test('the oracle finds no fault', () => {
    expect(run.faults).toEqual([])
  })

  test('it uses up no attempt of a healthy receiver, disables none, and sends no warning', () => {
    const ofHealthy = run.store.deliveries.filter(({ webhook }) => webhook.id <= HEALTHY)
    expect(ofHealthy.filter(({ attempts }) => attempts.length !== 1)).toEqual([])
    expect(run.store.webhooks.slice(0, HEALTHY).filter(({ status }) => status !== 'on')).toEqual([])
    const warned = run.trace.entries.flatMap((entry) => (entry.kind === 'warned' ? entry.webhookId : []))
    expect(warned.filter((id) => id <= HEALTHY)).toEqual([])
  })

  test('all waiting deliveries follow within 2 minutes', () => {
    const waited = run.lateness.filter(
      ({ receiver, dueAt }) =>
        receiver < HEALTHY && dueAt - run.startedAt >= OUT_AT && dueAt - run.startedAt < BACK_AT,
    )
    expect(waited.length).toBeGreaterThan(1_000)
    const lastAt = Math.max(...waited.map(({ dueAt, lateMs }) => dueAt + lateMs))
    expect(lastAt - run.startedAt).toBeLessThanOrEqual(BACK_AT + 2 * MINUTE_MS)
  })

  test('it delays the end of a dead receiver exactly by its duration', () => {
    for (let id = HEALTHY + 1; id <= ALL; id++) {
      const first = run.arrivals.find(({ receiver }) => receiver === id - 1)!.at - run.startedAt
      const failedFor = disabledAt(run, id)! - first - (BACK_AT - OUT_AT)
      // An outage begins with the first attempt that fails in it.
      expect(failedFor).toBeGreaterThanOrEqual(DAY_MS - 5 * MINUTE_MS)
      // The first attempt after that disables it.
      expect(failedFor).toBeLessThanOrEqual(DAY_MS + 2 * EVERY_MS + MINUTE_MS)
    }
  })

  test('it is recorded as one outage', () => {
    const outages = run.trace.entries.flatMap((entry) => (entry.kind === 'outage' ? entry : []))
    expect(outages).toHaveLength(1)
    const { beganAt, endedAt } = outages[0]!
    expect(Math.abs(beganAt - run.startedAt - OUT_AT)).toBeLessThanOrEqual(EVERY_MS)
    expect(endedAt - run.startedAt - BACK_AT).toBeLessThanOrEqual(10 * SECOND_MS)
  })
})

describe.each(chosen)('an hour of %s on one of three nodes', (fault) => {
  test(
    'nothing waits for longer than 10 s, since the others send',
    async () => {
      const from = 30 * MINUTE_MS
      const busy: Crowd = {
        ...healthy,
        publish: (workspace) =>
          Array.from({ length: 700 }, (_, i) => ({
            at: MINUTE_MS + i * 10 * SECOND_MS + draws.between(0, 9_999, 92, workspace, i),
            events: 1,
          })),
      }
      const plan = {
        ...planOfCrowds(draws, [busy], 2 * HOUR_MS),
        faults: closing([0], fault, from, from + HOUR_MS),
      }
      const run = await runInMemory(plan, { overdueMs: 15 * SECOND_MS })
      expect(run.faults).toEqual([])
      const longest = longestWait(run, [0, 20], 0)
      report(run, seed, `waited for up to ${longest} ms`)
      expect(longest).toBeLessThanOrEqual(10 * SECOND_MS)
      expect(run.store.deliveries.filter(({ attempts }) => attempts.length > 1)).toEqual([])
      expect(run.trace.entries.filter(({ kind }) => kind === 'outage')).toEqual([])
    },
    PATIENCE_MS,
  )
})

/** The events of a day and a night, the last minute of which is left for due deliveries. */
const NIGHT_MS = 28 * HOUR_MS
const DIES_AT = HOUR_MS

/** Dead from the second hour on, while events continue. */
const dying: Crowd = {
  ...dead,
  answerTo: (request) => (request.at < DIES_AT ? prompt(request) : answer('refused', 5)),
}

async function runNight(crowds: readonly Crowd[]): Promise<Run> {
  const plan = planOfCrowds(draws, crowds, NIGHT_MS)
  const publications = plan.publications.filter(({ at }) => at < NIGHT_MS - MINUTE_MS)
  return runInMemory({ ...plan, publications }, { overdueMs: 15 * SECOND_MS })
}

/**
 * Sending was never stopped, and these webhooks were disabled by the first attempt after a day of failing.
 */
function expectOffOnTime(run: Run, webhookIds: readonly number[]): void {
  expect(run.faults).toEqual([])
  expect(run.complaints).toEqual([])
  for (const id of webhookIds) {
    const failed = run.arrivals.find(
      ({ receiver, answer: { status } }) => receiver === id - 1 && status === 'refused',
    )!
    const failedFor = disabledAt(run, id)! - (failed.at - run.startedAt)
    expect(failedFor).toBeGreaterThanOrEqual(DAY_MS)
    expect(failedFor).toBeLessThanOrEqual(DAY_MS + 2 * EVERY_MS)
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe('receivers that die are disabled on time, and sending is not stopped for them', () => {
  test(
    'a third of all',
    async () => {
      const third = all ? 100 : 10
      const run = await runNight([
        { ...healthy, workspaces: 2 * third },
        { ...dying, workspaces: third },
      ])
      report(run, seed, `a third of ${3 * third} receivers died`)
      expectOffOnTime(run, numbers(2 * third + 1, 3 * third))
    },
    PATIENCE_MS,
  )

  test.each([1, 5])(
    'all %i of the only customer',
    async (webhooksEach) => {
      const run = await runNight([{ ...dying, workspaces: 1, webhooksEach }])
      expectOffOnTime(run, numbers(1, webhooksEach))
    },
    PATIENCE_MS,
  )

  test(
    'five at night, when nothing is sent to others, which can be reached',
    async () => {
      const asleep: Crowd = {
        ...healthy,
        publish: (workspace) => healthy.publish(workspace).filter(({ at }) => at < DIES_AT),
      }
      const run = await runNight([asleep, { ...dying, workspaces: 5 }])
      expectOffOnTime(run, numbers(healthy.workspaces + 1, healthy.workspaces + 5))
    },
    PATIENCE_MS,
  )
})
