import type { OnWebhook } from '../../matchCache.ts'
import { EventDeltas } from '../../records/figureDeltas.ts'
import type { EventToStore, LeasedRef, PublishResult } from '../../storage.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { type Numbers, numberTaker } from './counters.ts'
import { eventRows, RecentEvents, recentRows } from './eventRows.ts'
import { deltaRows } from './figureDeltas.ts'
import { matcher } from './matching.ts'
import { nodeCheck } from './nodes.ts'
import { recognizer } from './repeats.ts'

/** What one call has left to give to its node. */
interface Grant {
  readonly nodeId: number
  room: number
  readonly withhold: ReadonlySet<number>
}

interface Accepted {
  readonly leased: (LeasedRef & { readonly event: number })[]
  readonly unleased: Set<number>
}

export function publishVerbs(store: Store): Pick<VerbTable, 'publish'> {
  const { db } = store
  const nodeLives = nodeCheck(db)
  const recognize = recognizer(db)
  const takeNumbers = numberTaker(db)
  const rows = eventRows(db)
  const recent = recentRows(db)
  const matching = matcher(store)
  const deltas = deltaRows(db)

  function keepEvent(
    event: EventToStore,
    position: number,
    webhooks: readonly OnWebhook[],
    numbers: Numbers,
    grant: Grant,
    accepted: Accepted,
  ): void {
    rows.event(event, numbers.deliveryId, webhooks.length, numbers.seq++)
    for (const { id: webhookId, version } of webhooks) {
      const leased = grant.room > 0 && !grant.withhold.has(webhookId)
      const deliveryId = numbers.deliveryId++
      rows.delivery(deliveryId, event, webhookId, 'schedule', leased ? grant.nodeId : null)
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
    counts: EventDeltas,
  ): PublishResult {
    const known = recognize(batch)
    if (known.conflict !== null) return { outcome: 'id_conflict', event: known.conflict }
    const accepted: Accepted = { leased: [], unleased: new Set() }
    const matches = batch.map((event, position) =>
      known.repeats[position] === null ? matching(event.workspaceId, event.type) : [],
    )
    const deliveries = matches.reduce((sum, webhooks) => sum + webhooks.length, 0)
    const events = known.repeats.reduce((sum, repeat) => (repeat === null ? sum + 1 : sum), 0)
    const numbers = takeNumbers({ deliveries, events })
    for (const [position, event] of batch.entries()) {
      if (known.repeats[position] !== null) continue
      keepEvent(event, position, matches[position]!, numbers, grant, accepted)
      newest.add(event)
      counts.add(event)
    }
    const { leased, unleased } = accepted
    return { outcome: 'accepted', repeats: known.repeats, deliveries, leased, unleased: [...unleased] }
  }

  return {
    publish({ nodeId, batches, room, withhold }) {
      const grant: Grant = { nodeId, room: nodeLives(nodeId) ? room : 0, withhold: new Set(withhold) }
      const newest = new RecentEvents()
      const counts = new EventDeltas()
      const results = batches.map((batch) => keepBatch(batch, grant, newest, counts))
      newest.write(recent)
      deltas.events(counts.deltas())
      return results
    },
  }
}
