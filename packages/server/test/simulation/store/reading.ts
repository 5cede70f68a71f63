import type { DeliveryRecord } from '../../../src/storage/rows.ts'
import { isNewer } from '../../../src/storage/storage.ts'
import { toRecord } from './rows.ts'
import type { Calls, StoreState } from './state.ts'

/** Reads of people. The whole log is read in one call. */
export function readCalls(state: StoreState): Calls<'getDelivery' | 'searchDeliveries'> {
  return {
    getDelivery({ workspaceId, deliveryId }) {
      const delivery = state.delivery(workspaceId, deliveryId)
      return delivery === undefined ? null : toRecord(delivery)
    },
    searchDeliveries({ workspaceId, webhookId, limit, before }) {
      const shown: DeliveryRecord[] = []
      for (const { id, webhook } of state.deliveries) {
        const delivery = state.delivery(workspaceId, id)
        if (delivery === undefined || (webhookId !== null && webhook.id !== webhookId)) continue
        const { createdAt } = delivery.event
        if (before === null || isNewer(before, { id, createdAt })) shown.push(toRecord(delivery))
      }
      shown.sort((a, b) => (isNewer(a, b) ? -1 : 1))
      const deliveries = shown.slice(0, limit)
      const last = deliveries.at(-1)
      const next = last === undefined || deliveries.length === shown.length ? null : last
      return {
        deliveries,
        next: next === null ? null : { createdAt: next.createdAt, id: next.id },
        reachesUntil: null,
      }
    },
  }
}
