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

/** The way out of these nodes is closed. */
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

/** When a webhook was switched off; milliseconds from the start. */
const switchedOffAt = ({ trace, startedAt }: Run, webhookId: number): number | null => {
  const entry = trace.entries.find((one) => one.kind === 'switchedOff' && one.webhookId === webhookId)
  return entry === undefined ? null : entry.at - startedAt
}

const chosen =
  process.env.POSTHORN_SIMULATION_RUNS === undefined ? WAY_OUT_FAULTS.slice(0, 2) : WAY_OUT_FAULTS

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

  test('nothing goes wrong that an oracle would see', () => {
    expect(run.faults).toEqual([])
  })

  test('uses up no attempt of a healthy receiver, switches none off, and warns nobody', () => {
    const ofHealthy = run.store.deliveries.filter(({ webhook }) => webhook.id <= HEALTHY)
    expect(ofHealthy.filter(({ attempts }) => attempts.length !== 1)).toEqual([])
    expect(run.store.webhooks.slice(0, HEALTHY).filter(({ status }) => status !== 'on')).toEqual([])
    const warned = run.trace.entries.flatMap((entry) => (entry.kind === 'warned' ? entry.webhookId : []))
    expect(warned.filter((id) => id <= HEALTHY)).toEqual([])
  })

  test('is followed by everything that waited, within 2 minutes', () => {
    const waited = run.lateness.filter(
      ({ receiver, dueAt }) =>
        receiver < HEALTHY && dueAt - run.startedAt >= OUT_AT && dueAt - run.startedAt < BACK_AT,
    )
    expect(waited.length).toBeGreaterThan(1_000)
    const lastAt = Math.max(...waited.map(({ dueAt, lateMs }) => dueAt + lateMs))
    expect(lastAt - run.startedAt).toBeLessThanOrEqual(BACK_AT + 2 * MINUTE_MS)
  })

  test('delays the end of a dead receiver by as much as it lasts, and not by more', () => {
    for (let id = HEALTHY + 1; id <= ALL; id++) {
      const first = run.arrivals.find(({ receiver }) => receiver === id - 1)!.at - run.startedAt
      const failedFor = switchedOffAt(run, id)! - first - (BACK_AT - OUT_AT)
      // An outage begins with the first attempt that fails in it.
      expect(failedFor).toBeGreaterThanOrEqual(DAY_MS - 5 * MINUTE_MS)
      // The first attempt after that switches it off.
      expect(failedFor).toBeLessThanOrEqual(DAY_MS + 2 * EVERY_MS + MINUTE_MS)
    }
  })

  test('is on record as one outage', () => {
    const outages = run.trace.entries.flatMap((entry) => (entry.kind === 'outage' ? entry : []))
    expect(outages).toHaveLength(1)
    const { beganAt, endedAt } = outages[0]!
    expect(Math.abs(beganAt - run.startedAt - OUT_AT)).toBeLessThanOrEqual(EVERY_MS)
    expect(endedAt - run.startedAt - BACK_AT).toBeLessThanOrEqual(10 * SECOND_MS)
  })
})

describe.each(chosen)('an hour of %s on one of three nodes', (fault) => {
  test(
    'makes nothing wait for longer than 10 s, since the others send',
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

test(
  'a third of all receivers that die are switched off on time, and nothing is held for them',
  async () => {
    const third: Crowd = {
      ...dead,
      workspaces: 10,
      answerTo: (request) => (request.at < HOUR_MS ? prompt(request) : answer('refused', 5)),
    }
    const plan = {
      ...planOfCrowds(draws, [healthy, third], 28 * HOUR_MS),
      publications: planOfCrowds(draws, [healthy, third], 28 * HOUR_MS).publications.filter(
        ({ at }) => at < 28 * HOUR_MS - MINUTE_MS,
      ),
    }
    const run = await runInMemory(plan, { overdueMs: 15 * SECOND_MS })
    report(run, seed, `${run.complaints.length} complaints`)
    expect(run.faults).toEqual([])
    expect(run.complaints).toEqual([])
    for (let id = 21; id <= 30; id++) {
      const failed = run.arrivals.find(
        ({ receiver, answer: { status } }) => receiver === id - 1 && status === 'refused',
      )!
      const failedFor = switchedOffAt(run, id)! - (failed.at - run.startedAt)
      expect(failedFor).toBeGreaterThanOrEqual(DAY_MS)
      expect(failedFor).toBeLessThanOrEqual(DAY_MS + 2 * EVERY_MS)
    }
  },
  PATIENCE_MS,
)

test(
  'all receivers of the only customer that die are switched off on time',
  async () => {
    const only: Crowd = {
      ...dead,
      workspaces: 1,
      webhooksEach: 5,
      answerTo: (request) => (request.at < HOUR_MS ? prompt(request) : answer('refused', 5)),
    }
    const whole = planOfCrowds(draws, [only], 28 * HOUR_MS)
    const plan = {
      ...whole,
      publications: whole.publications.filter(({ at }) => at < 28 * HOUR_MS - MINUTE_MS),
    }
    const run = await runInMemory(plan, { overdueMs: 15 * SECOND_MS })
    expect(run.faults).toEqual([])
    for (let id = 1; id <= 5; id++) expect(switchedOffAt(run, id)).not.toBeNull()
  },
  PATIENCE_MS,
)
