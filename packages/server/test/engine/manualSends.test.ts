import { expect, test } from 'vitest'
import { ManualSends } from '../../src/engine/manage/manualSends.ts'
import type { Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'

type Params = ConstructorParameters<typeof ManualSends>[0]

const FILTER = {
  trigger: 'recover',
  webhookId: 1,
  webhookPublicId: null,
  statuses: ['failed'],
  eventTypes: [],
  from: null,
  to: 1,
} as const
const PARTS = 3

/**
 * A log in which each count needs some parts; it records how many counts of a workspace run concurrently.
 * @param failures calls that fail first
 */
function setUp(failures = 0) {
  let left = failures
  const inside = new Map<number, number>()
  const most = new Map<number, number>()
  async function countReplayable({ workspaceId, after }: { workspaceId: number; after: unknown }) {
    const now = (inside.get(workspaceId) ?? 0) + 1
    inside.set(workspaceId, now)
    most.set(workspaceId, Math.max(now, most.get(workspaceId) ?? 0))
    await new Promise((resolve) => setImmediate(resolve))
    inside.set(workspaceId, now - 1)
    if (left-- > 0) throw new Error('the store is away')
    const part = (after as number | null) ?? 0
    return { count: 10, next: part + 1 < PARTS ? part + 1 : null }
  }
  const storage = { log: { countReplayable } }
  const sends = new ManualSends({ storage, clock: new ManualClock() } as unknown as Params)
  const count = (workspaceId: number) =>
    sends.countReplayable({ id: workspaceId } as Workspace, FILTER, Number.MAX_SAFE_INTEGER)
  return { count, most }
}

test('counts of one workspace run one after the other, concurrently with those of others', async () => {
  const { count, most } = setUp()
  const counts = await Promise.all([1, 1, 1, 2, 2].map(count))
  expect(counts).toEqual(Array(5).fill({ count: 10 * PARTS, more: false }))
  expect(Object.fromEntries(most)).toEqual({ 1: 1, 2: 1 })
})

test('a failed count does not prevent the next one', async () => {
  const { count } = setUp(1)
  const results = await Promise.allSettled([count(1), count(1)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})
