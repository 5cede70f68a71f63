import type { HealthInCall } from '../../healthInCall.ts'
import type { Notification } from '../../rows.ts'
import { type AttemptToRecord, type RecordResult, StoreUnavailableError } from '../../storage.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { hot, type VerbParams, type VerbTable, writes } from '../verb.ts'
import { type After, type Fenced, type Locked, lockHeld, recordEach, succeedAtOnce } from './attemptRows.ts'
import { auditSwitchedOff } from './audit.ts'
import { cancel } from './cancel.ts'
import { loadHealth, lockHealth, saveHealth } from './health.ts'
import { closeEmpty } from './leases.ts'
import { bumpMatching } from './matching.ts'
import { nodeHolds, nodeSql } from './nodes.ts'
import { notify } from './notifications.ts'

type Params = VerbParams<'recordAttempts'>
type Standing = Fenced & { readonly after: After }

/** Failed attempts of a call kept for a notification. */
const FAILURES_KEPT = 3

export function recordVerbs({ held, locks }: Store): Pick<VerbTable, 'recordAttempts'> {
  /**
   * The results that this node may still bring, the first of each delivery. Whoever could not be told that a result was
   * recorded brings it again; by then the node may hold the delivery for its next attempt, which is not meant.
   */
  function fence({ nodeId, results }: Params): Fenced[] {
    const seen = new Set<number>()
    return results.flatMap((result) => {
      const of = held.get(result.deliveryId, nodeId)
      if (of?.attempts !== result.attempt.number - 1 || seen.has(result.deliveryId)) return []
      seen.add(result.deliveryId)
      return [{ result, held: of }]
    })
  }

  async function record(tx: Tx, params: Params): Promise<RecordResult> {
    const { nodeId, results, now } = params
    const lostAll = { lost: results.map((r) => r.deliveryId), switchedOff: [], notifications: [] }
    const fenced = fence(params)
    const ended = fenced.map(({ result, held: { lease } }) => ({ id: result.deliveryId, lease }))
    // In the order in which the results name them, which is the order in which they are told of.
    const webhookIds = [...new Set(fenced.map(({ result }) => result.webhookId))]
    const [lives, seen] = await Promise.all([nodeHolds(tx, nodeId), loadHealth(tx, webhookIds)])
    if (!lives) {
      tx.onCommit(() => held.remove(ended))
      return lostAll
    }
    const unsteady = unsteadyOf(fenced, seen)
    const excluded = workspacesAtRisk(fenced, seen, params)
    if (excluded.size > 0) await locks.exclude(tx, excluded)
    const [webhooks, locked] = await Promise.all([
      lockHealth(
        tx,
        webhookIds.filter((id) => unsteady.has(id)),
      ),
      lockHeld(
        tx,
        fenced.filter(({ result }) => unsteady.has(result.webhookId)),
      ),
      tx.rows(nodeSql.lockLeases, [numbers(new Set(fenced.map(({ held }) => held.lease)))]),
    ])
    const standing = settle(fenced, webhooks, locked, params)
    const recorded = new Set(
      (
        await Promise.all([
          succeedAtOnce(tx, standing.filter(isAtOnce), now),
          recordEach(
            tx,
            standing.filter((one) => !isAtOnce(one)),
          ),
        ])
      ).flat(),
    )
    const told = await changeWebhooks(tx, webhooks, excluded, now)
    await closeEmpty(tx, held.emptiedWithout(ended))
    tx.onCommit(() => held.remove(ended))
    return { lost: lostOf(results, recorded), ...told }
  }

  return { recordAttempts: hot(writes(record)) }
}

/** Webhooks whose health a result may change; nearly every other finds it as it leaves it. */
function unsteadyOf(fenced: readonly Fenced[], webhooks: ReadonlyMap<number, HealthInCall>): Set<number> {
  const unsteady = new Set<number>()
  for (const { result } of fenced) {
    if (result.next.status !== 'delivered' || !webhooks.get(result.webhookId)!.steady)
      unsteady.add(result.webhookId)
  }
  return unsteady
}

/** Workspaces of webhooks that may be switched off by this: their publishes have to wait, which comes before all rows. */
function workspacesAtRisk(
  fenced: readonly Fenced[],
  webhooks: ReadonlyMap<number, HealthInCall>,
  { healthPolicies, now }: Params,
): Set<number> {
  const atRisk = new Set<number>()
  for (const { result } of fenced) {
    if (result.next.status === 'delivered') continue
    const webhook = webhooks.get(result.webhookId)!
    const { goneSwitchesOff, switchOffAfterMs } = healthPolicies[result.healthPolicy]!
    const since = webhook.health.failingSince ?? result.attempt.startedAt
    const failedLong = switchOffAfterMs !== null && now - since >= switchOffAfterMs
    if (failedLong || (result.signal === 'gone' && goneSwitchesOff)) atRisk.add(webhook.workspaceId)
  }
  return atRisk
}

/**
 * Folds the results into their webhooks, in order, and says how each delivery stands then. Of webhooks that change,
 * only what the node holds still counts; of others the statement itself decides.
 */
function settle(
  fenced: readonly Fenced[],
  webhooks: ReadonlyMap<number, HealthInCall>,
  locked: readonly Locked[],
  { healthPolicies, now }: Params,
): Standing[] {
  const rows = new Map(locked.map((row) => [row.id, row]))
  return fenced.flatMap((one): Standing[] => {
    const { result } = one
    const webhook = webhooks.get(result.webhookId)
    if (webhook === undefined) return [{ ...one, after: delivered(now) }]
    const row = rows.get(result.deliveryId)
    if (row === undefined) return []
    const canceled = webhook.canceled(result.deliveryId)
    const change = webhook.weigh(result, healthPolicies[result.healthPolicy]!, now)
    webhook.accept(change)
    if (result.next.status === 'delivered') return [{ ...one, after: delivered(now) }]
    webhook.failures.push(result)
    if (webhook.failures.length > FAILURES_KEPT) webhook.failures.shift()
    if (row.status === 'canceled') return [{ ...one, after: canceledAt(row.finished_at!) }]
    return [{ ...one, after: canceled ? canceledAt(webhook.canceledAt ?? now) : afterFailure(result, now) }]
  })
}

/** Writes what the results did to their webhooks. */
async function changeWebhooks(
  tx: Tx,
  webhooks: ReadonlyMap<number, HealthInCall>,
  excluded: ReadonlySet<number>,
  now: number,
): Promise<Omit<RecordResult, 'lost'>> {
  await saveHealth(tx, webhooks.values(), now)
  const switchedOff: RecordResult['switchedOff'][number][] = []
  const notifications: Notification[] = []
  const changed = new Set<number>()
  for (const { webhookId, workspaceId, off, warn, failures } of webhooks.values()) {
    if (off !== null) {
      if (!excluded.has(workspaceId))
        throw new StoreUnavailableError('a webhook began to fail long ago only just now; to be tried again')
      switchedOff.push({ webhookId, reason: off })
      changed.add(workspaceId)
      notifications.push(await notify(tx, 'webhook_off', webhookId, failures, now))
      await auditSwitchedOff(tx, webhookId, off, now)
    } else if (warn) notifications.push(await notify(tx, 'webhook_failing', webhookId, failures, now))
  }
  if (switchedOff.length > 0) {
    await bumpMatching(tx, [...changed])
    await cancel(
      tx,
      switchedOff.map(({ webhookId }) => webhookId),
      now,
    )
  }
  return { switchedOff, notifications }
}

/** What is not recorded, in order; of two results of one delivery the second. */
function lostOf(results: readonly AttemptToRecord[], recorded: Set<number>): number[] {
  return results.filter(({ deliveryId }) => !recorded.delete(deliveryId)).map(({ deliveryId }) => deliveryId)
}

function isAtOnce({ result, after }: Standing): boolean {
  const { number, trigger } = result.attempt
  return after.status === 'delivered' && number === 1 && trigger === 'schedule'
}

function delivered(finishedAt: number): After {
  return { status: 'delivered', nextAttemptAt: null, finishedAt }
}

function canceledAt(finishedAt: number): After {
  return { status: 'canceled', nextAttemptAt: null, finishedAt }
}

function afterFailure({ next }: AttemptToRecord, now: number): After {
  if (next.status === 'delivered') throw new Error('a delivered attempt is no failure')
  if (next.status !== 'pending') return { status: next.status, nextAttemptAt: null, finishedAt: now }
  // Should this very result switch the webhook off, then this delivery is canceled with all others.
  return { status: 'pending', nextAttemptAt: next.nextAttemptAt, finishedAt: null }
}
