import type { Attempt, Delivery, HookEvidence, HookState, Loss, Publish } from '../src/faults/evidence.ts'
import { Timeline } from '../src/faults/timeline.ts'
import { contradictionsOf } from '../src/faults/verdict/hookVerdict.ts'
import type { SeenRequest } from '../src/receivers/scriptedReceiver.ts'

/** Sample records of one webhook that gets one event; each test changes what it checks. */

export const SUBJECT = '6f0f6c1e-7d53-4a40-9d0e-5d3c1c1f0001'
const BODY = JSON.stringify({ data: { subject_id: `sch_${SUBJECT}` } })

export const ON: HookState = { status: 'on', types: ['common'], path: '/hook' }

/**
 * Created at 1,000, and then changed. @param changes time and new settings of each change, which takes 10 ms
 */
export function states(...changes: readonly [at: number, to: Partial<HookState>][]): Timeline<HookState> {
  const timeline = new Timeline<HookState>({ ...ON, status: 'absent' })
  timeline.become(ON, 1_000, 1_010)
  for (const [at, to] of changes) timeline.become({ ...timeline.last, ...to }, at, at + 10)
  return timeline
}

export const publish = (changes: Partial<Publish> = {}): Publish => ({
  workspace: 'ws_1',
  begin: 9_990,
  acknowledgedAt: 10_000,
  events: [{ subject: SUBJECT, type: 'common', id: 'evt_1' }],
  ...changes,
})

export const request = (changes: Partial<SeenRequest> = {}): SeenRequest => ({
  hook: '/hook',
  path: '/hook',
  eventId: 'evt_1',
  deliveryId: null,
  headers: {},
  body: BODY,
  seenAt: 10_000,
  answeredAt: 10_005,
  closedAt: 10_005,
  status: 204,
  signedBy: [0],
  forgery: null,
  ...changes,
})

export const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  trigger: 'schedule',
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 5,
  statusCode: 204,
  error: null,
  ...changes,
})

/** Consecutive attempts with these statuses. */
export const attempts = (...codes: readonly number[]): Attempt[] =>
  codes.map((statusCode, i) =>
    attempt({ number: i + 1, statusCode, error: statusCode < 300 ? null : 'http_status' }),
  )

/** Consecutive requests answered with these statuses. */
export const requests = (...codes: readonly number[]): SeenRequest[] =>
  codes.map((status, i) => {
    const seenAt = 10_000 + i * 100
    return request({ status, seenAt, answeredAt: seenAt + 5, closedAt: seenAt + 5 })
  })

export const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
  id: 'dlv_1',
  eventId: 'evt_1',
  eventType: 'common',
  status: 'delivered',
  nextAttemptAt: null,
  attempts: [attempt()],
  ...changes,
})

const evidence = (changes: Partial<HookEvidence> = {}): HookEvidence => ({
  name: 'hook',
  dialect: 'content',
  states: states(),
  suspended: new Timeline(false),
  secrets: [{ begin: 1_000, end: 1_010 }],
  honest: true,
  deliveries: [delivery()],
  requests: [request()],
  publishes: [publish()],
  sends: [],
  ...changes,
})

/** A node was killed at 50,000. */
export const LOSS: Loss = { cause: 'killed', from: 49_000, at: 50_000, to: 50_500 }

/** The contradictions in sample records, one per line. */
export const found = (changes: Partial<HookEvidence>, losses: readonly Loss[] = [LOSS]) =>
  contradictionsOf(evidence(changes), { losses, maxInFlightPerWebhook: 1, stopsWithinMs: 2_000 }).join('\n')
