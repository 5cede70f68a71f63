import { fullQueue, ImmediateFanout } from '../../fanout.ts'
import type { OnWebhook } from '../../matchCache.ts'
import { addPendingCounts, PendingEventCounts } from '../../queries/statsRollup.ts'
import { type BatchRepeats, type EarlierEvent, findRepeats } from '../../repeats.ts'
import type { EventToStore, LeasedRef, PublishResult } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { CallTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { carryOutOn } from '../syncWork.ts'
import { type Numbers, numberTaker } from './counters.ts'
import { eventRows, RecentEvents, recentRows } from './eventRows.ts'
import { fanoutRows } from './fanouts.ts'
import { matcher } from './matching.ts'
import { nodeCheck } from './nodes.ts'

export const repeatSql = {
  byBroughtId: `
    SELECT id, brought_id, fingerprint, created_at FROM events
    WHERE workspace_id = ? AND brought_id = ?`,
  byRowId: 'SELECT id, brought_id, fingerprint, created_at FROM events WHERE id = ? AND workspace_id = ?',
}

/** What one call may still lease to its node. */
interface Grant {
  readonly nodeId: number
  room: number
  readonly keepInStore: ReadonlySet<number>
  readonly immediate: ImmediateFanout
  readonly maxFanout: number
}

interface Accepted {
  readonly leased: (LeasedRef & { readonly event: number })[]
  readonly unleased: Set<number>
}

/** An event and the deliveries that it gets. */
interface Planned {
  readonly webhooks: readonly OnWebhook[]
  /** Whether its deliveries are made after the acknowledgement. */
  readonly late: boolean
}

const NOTHING: Planned = { webhooks: [], late: false }

export function publishCalls(store: Store): Pick<CallTable, 'publish'> {
  const { db } = store
  const nodeLives = nodeCheck(db)
  const repeatsOf = repeatFinder(db)
  const takeNumbers = numberTaker(db)
  const rows = eventRows(db)
  const recent = recentRows(db)
  const matching = matcher(store)
  const carryOut = carryOutOn(store)
  const fanouts = fanoutRows(db)

  function keepEvent(
    event: EventToStore,
    position: number,
    { webhooks, late }: Planned,
    numbers: Numbers,
    grant: Grant,
    accepted: Accepted,
  ): void {
    rows.event(event, numbers.deliveryId, webhooks.length, numbers.seq++)
    if (late) {
      fanouts.add(event, webhooks)
      numbers.deliveryId += webhooks.length
      return
    }
    for (const { id: webhookId, version, held } of webhooks) {
      const leased = grant.room > 0 && !held && !grant.keepInStore.has(webhookId)
      const deliveryId = numbers.deliveryId++
      rows.delivery(deliveryId, event, webhookId, leased ? grant.nodeId : null)
      if (leased) {
        grant.room--
        const { createdAt } = event
        const lease = grant.nodeId
        accepted.leased.push({
          deliveryId,
          createdAt,
          lease,
          webhookId,
          webhookVersion: version,
          event: position,
        })
      } else accepted.unleased.add(webhookId)
    }
  }

  function keepBatch(
    batch: readonly EventToStore[],
    grant: Grant,
    newest: RecentEvents,
    counts: PendingEventCounts,
  ): PublishResult {
    const known = repeatsOf(batch)
    if (known.conflict !== null) return { outcome: 'id_conflict', event: known.conflict }
    const plans = batch.map((event, position): Planned => {
      if (known.repeats[position] !== null) return NOTHING
      const webhooks = matching(event.workspaceId, event.type)
      return { webhooks, late: !grant.immediate.takes(event.workspaceId, webhooks.length) }
    })
    const late = countOf(plans.filter((plan) => plan.late))
    const waiting = late === 0 ? null : fullQueue(lateOf(batch, plans), fanouts.waitingOf, grant.maxFanout)
    if (waiting !== null) return { outcome: 'fanout_full', waiting }
    const accepted: Accepted = { leased: [], unleased: new Set() }
    const deliveries = countOf(plans)
    const events = known.repeats.reduce((sum, repeat) => (repeat === null ? sum + 1 : sum), 0)
    const numbers = takeNumbers({ deliveries, events })
    for (const [position, event] of batch.entries()) {
      if (known.repeats[position] !== null) continue
      keepEvent(event, position, plans[position]!, numbers, grant, accepted)
      newest.add(event)
      counts.add(event)
    }
    const { leased, unleased } = accepted
    return {
      outcome: 'accepted',
      repeats: known.repeats,
      deliveries,
      late,
      leased,
      unleased: [...unleased],
    }
  }

  return {
    publish({ nodeId, batches, room, keepInStore, maxFanout }) {
      const grant: Grant = {
        nodeId,
        room: nodeLives(nodeId) ? room : 0,
        keepInStore: new Set(keepInStore),
        immediate: new ImmediateFanout(),
        maxFanout,
      }
      const newest = new RecentEvents()
      const counts = new PendingEventCounts()
      const results = batches.map((batch) => keepBatch(batch, grant, newest, counts))
      newest.write(recent)
      for (const pending of counts.byMinute()) carryOut(addPendingCounts(pending))
      return results
    },
  }
}

const countOf = (plans: readonly Planned[]): number =>
  plans.reduce((sum, { webhooks }) => sum + webhooks.length, 0)

/** The late deliveries of a batch, by workspace. */
function lateOf(batch: readonly EventToStore[], plans: readonly Planned[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const [position, { webhooks, late }] of plans.entries()) {
    const { workspaceId } = batch[position]!
    if (late) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + webhooks.length)
  }
  return counts
}

function repeatFinder(db: Connection): (batch: readonly EventToStore[]) => BatchRepeats {
  const byBroughtId = db.prepare<[number, string], EarlierEvent>(repeatSql.byBroughtId)
  const byRowId = db.prepare<[number, number], EarlierEvent>(repeatSql.byRowId)
  const find = (event: EventToStore): EarlierEvent | undefined =>
    byBroughtId.get(event.workspaceId, event.broughtId!) ??
    (event.broughtRowId === null ? undefined : byRowId.get(event.broughtRowId, event.workspaceId))
  return (batch) => findRepeats(batch, find)
}
