import type { HealthPolicy } from '../../../src/core/health.ts'
import type { Alert, Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { AttemptToRecord } from '../../../src/storage/storage.ts'
import { LENIENT, MINUTE_MS, type World } from './world.ts'

export const EARLY: HealthPolicy = {
  ...LENIENT,
  early: { failures: 5, share: 0.5, deliveries: 10, afterMs: 10 * MINUTE_MS },
}
/** Only the rule for failures in a row. */
export const ROW_ALONE: HealthPolicy = { ...LENIENT, early: { ...EARLY.early!, share: null } }
/** Only the rule for the share. */
export const SHARE_ALONE: HealthPolicy = { ...LENIENT, early: { ...EARLY.early!, failures: null } }

/** Publishes one event and records how the first attempts of its deliveries ended. */
export async function attempt(
  w: World,
  nodeId: number,
  workspace: Workspace,
  outcome: 'success' | 'failure',
  policy = EARLY,
  changes: Partial<AttemptToRecord> = {},
) {
  const refs = await w.leased(nodeId, workspace)
  const results = refs.map((ref) => (outcome === 'success' ? w.success(ref) : w.failure(ref, changes)))
  return w.record(nodeId, results, policy)
}

export async function fail(w: World, nodeId: number, workspace: Workspace, times: number, policy = EARLY) {
  for (let i = 0; i < times; i++) await attempt(w, nodeId, workspace, 'failure', policy)
}

export async function listening(w: World, workspaceId: number | null): Promise<Webhook> {
  const made = await w.storage.makeOperational({
    workspaceId,
    publicId: w.name('ws_'),
    dialect: 'operational',
    now: w.now,
  })
  return w.webhook(made!)
}

export const alerts = async (w: World): Promise<readonly Alert[]> =>
  (await w.storage.readAlerts({ limit: 100 })).map(({ alert }) => alert)

export const mail = async (w: World) => {
  await w.storage.mailAlerts({ now: w.now, limit: 100 })
  return (await w.storage.listNotifications({ limit: 100, before: null })).filter(
    ({ kind }) => kind === 'webhook_alerts',
  )
}
