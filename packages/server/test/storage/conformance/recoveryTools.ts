import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import type { Replay, Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { CreateReplayResult } from '../../../src/storage/storage.ts'
import { ASKED } from './replayTools.ts'
import type { World } from './world.ts'

// Helpers for tests of recoveries.

export interface Started {
  readonly w: World
  readonly workspace: Workspace
  readonly webhook: Webhook
  readonly nodeId: number
}

export async function start(w: World): Promise<Started> {
  const workspace = await w.workspace()
  return { w, workspace, webhook: await w.webhook(workspace), nodeId: await w.node() }
}

/** Publishes events whose deliveries end in this state after one attempt. @returns the deliveries */
export async function end(
  { w, workspace, nodeId }: Started,
  status: 'failed' | 'dead',
  types: readonly string[],
) {
  const events = await Promise.all(types.map((type) => w.event(workspace, { type })))
  const { leased } = await w.publish(nodeId, events)
  const next = { status, nextAttemptAt: null }
  await w.record(
    nodeId,
    leased.map((ref) => w.failure(ref, { next })),
  )
  return leased.map(({ deliveryId }) => deliveryId)
}

export type Asked = Parameters<StorageCalls['createReplay']>[0]

export const filterOf = ({ workspace, webhook }: Started) => ({
  workspaceId: workspace.id,
  webhookId: webhook.id,
  statuses: ['failed', 'canceled'] as const,
})

export function ask(of: Started, changes: Partial<Asked> = {}): Promise<CreateReplayResult> {
  const asked = { ...ASKED(of.w), ...filterOf(of), trigger: 'recover' as const, max: Number.MAX_SAFE_INTEGER }
  return of.w.storage.createReplay({ ...asked, ...changes })
}

export async function recover(of: Started, changes: Partial<Asked> = {}): Promise<Replay> {
  const result = await ask(of, changes)
  if (result.outcome !== 'created') throw new Error(`refused: ${result.outcome}`)
  return result.replay
}

export const step = ({ w }: Started, limit = 100) => w.storage.stepReplays({ now: w.now, limit })

export async function finish(of: Started): Promise<void> {
  await of.w.untilDone(async () => (await step(of)).looked)
}

export const read = async ({ w, workspace }: Started, { publicId }: Replay) =>
  (await w.storage.getReplay({ workspaceId: workspace.id, publicId }))!

/** Attempts due deliveries: each once. @param arrives whether it succeeds */
export async function attempt({ w, nodeId }: Started, arrives: boolean): Promise<number[]> {
  const { deliveries } = await w.claim(nodeId, { limit: 100 })
  await w.record(
    nodeId,
    deliveries.map(({ id: deliveryId, webhookId, attempts, trigger, replayId }) => {
      const ref = { deliveryId, webhookId }
      const named = { number: attempts + 1, trigger }
      const result = arrives
        ? w.success(ref, named)
        : w.failure(ref, { attempt: named, next: { status: 'failed', nextAttemptAt: null } })
      return { ...result, replayId }
    }),
  )
  return deliveries.map(({ id }) => id)
}
