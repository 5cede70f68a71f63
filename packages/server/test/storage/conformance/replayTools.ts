import { expect } from 'vitest'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import type { Replay, Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { ReplayFilter, ReplayPosition } from '../../../src/storage/storage.ts'
import type { World } from './world.ts'

// Helpers for tests of bulk replays.

export interface Dying {
  readonly w: World
  readonly workspace: Workspace
  readonly webhook: Webhook
  readonly nodeId: number
}

const ANY = { webhookId: null, statuses: ['dead'], eventTypes: [], from: null, to: null } as const

/** A workspace with one webhook. */
export async function start(w: World): Promise<Dying> {
  const workspace = await w.workspace()
  return { w, workspace, webhook: await w.webhook(workspace), nodeId: await w.node() }
}

/** Publishes events, each of whose deliveries is dead after one attempt. @returns the deliveries */
export async function dead({ w, workspace, nodeId }: Dying, types: readonly string[]): Promise<number[]> {
  const events = await Promise.all(types.map((type) => w.event(workspace, { type })))
  const { leased } = await w.publish(nodeId, events)
  const next = { status: 'dead' as const, nextAttemptAt: null }
  await w.record(
    nodeId,
    leased.map((ref) => w.failure(ref, { next })),
  )
  return leased.map(({ deliveryId }) => deliveryId)
}

export async function create(
  { w, workspace }: Dying,
  changes: Partial<Parameters<StorageCalls['createReplay']>[0]> = {},
): Promise<Replay> {
  const result = await w.storage.createReplay({ ...ASKED(w), workspaceId: workspace.id, ...changes })
  if (result.outcome !== 'created') throw new Error(`the replay was refused: ${result.outcome}`)
  return result.replay
}

/** The default request. */
export const ASKED = (w: World) => ({
  ...ANY,
  publicId: w.name('rpl_'),
  trigger: 'replay' as const,
  max: 1000,
  total: 1,
  maxUnfinished: 1000,
  limit: null,
  now: w.now,
})

/** Adds up the parts of a count. @param limit rows that each part visits */
export async function countAll(w: World, filter: ReplayFilter, limit?: number): Promise<number> {
  let count = 0
  let after: ReplayPosition | null = null
  do {
    const looked = limit === undefined ? {} : { limit }
    const part: Awaited<ReturnType<StorageCalls['countReplayable']>> = await w.storage.countReplayable({
      ...filter,
      ...looked,
      after,
      now: w.now,
    })
    count += part.count
    after = part.next
  } while (after !== null)
  return count
}

export const count = ({ w, workspace }: Dying, filter: Partial<ReplayFilter> = {}) =>
  countAll(w, { ...ANY, workspaceId: workspace.id, ...filter })

/** Runs all replays to their ends. */
export const finish = (w: World) =>
  w.untilDone(async () => {
    const { looked } = await w.storage.stepReplays({ now: w.now, limit: 100 })
    expect(looked).toBeLessThanOrEqual(100)
    return looked
  })

export const read = ({ w, workspace }: Pick<Dying, 'w' | 'workspace'>, { publicId }: Replay) =>
  w.storage.getReplay({ workspaceId: workspace.id, publicId })
