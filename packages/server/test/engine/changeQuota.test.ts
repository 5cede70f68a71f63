import { expect, test } from 'vitest'
import type { By } from '../../src/engine/engine.ts'
import { ChangeQuota, QuotaExceededError } from '../../src/engine/manage/changeQuota.ts'
import type { Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'

const workspace = (id: number) => ({ publicId: `ws_${id}` }) as Workspace
const by = (type: 'key' | 'member' | 'operator'): By => ({
  actor: { type, id: type, sessionId: null },
  requestId: 'req_1',
  idempotency: null,
})

function setUp() {
  const clock = new ManualClock()
  const limit = { perMinute: 6 }
  const quota = new ChangeQuota(() => limit.perMinute, clock)
  const change = (id: number, type: 'key' | 'member' | 'operator' = 'key') =>
    quota.use(workspace(id), by(type))
  return { clock, change, limit }
}

test('a workspace may make ten minutes of changes at once, by keys or members, and then its rate', () => {
  const { clock, change } = setUp()
  for (let i = 0; i < 60; i++) change(1, i % 2 === 0 ? 'key' : 'member')
  const refused = expect.objectContaining({ quota: 'changesPerMinute', max: 6, retryAfterMs: 10_000 })
  expect(() => change(1)).toThrow(expect.objectContaining({ exceeded: refused }))
  change(2)
  clock.advance(9_999)
  expect(() => change(1)).toThrow(QuotaExceededError)
  clock.advance(1)
  change(1)
  expect(() => change(1)).toThrow(QuotaExceededError)
})

test('operators have no quota', () => {
  const { change } = setUp()
  for (let i = 0; i < 1000; i++) change(1, 'operator')
  change(1)
})

test('another rate applies at once, also for a workspace that has used up the former one', () => {
  const { clock, change, limit } = setUp()
  for (let i = 0; i < 60; i++) change(1)
  limit.perMinute = 60
  const refused = expect.objectContaining({ max: 60, retryAfterMs: 1_000 })
  expect(() => change(1)).toThrow(expect.objectContaining({ exceeded: refused }))
  clock.advance(1_000)
  change(1)
  expect(() => change(1)).toThrow(QuotaExceededError)
})
