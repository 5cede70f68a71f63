import { listing } from '../kinds.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { deliveryRecords } from './deliveryRecords.ts'
import { searcher } from './search.ts'
import { sentRequestReader } from './sentRequests.ts'

type LogVerbs = Pick<VerbTable, 'searchDeliveries' | 'getDelivery' | 'getSentRequests'>

export function logVerbs({ db }: Store): LogVerbs {
  const records = deliveryRecords(db)
  const sentRequests = sentRequestReader(db)
  return {
    searchDeliveries: listing(searcher(db)),
    getDelivery: listing(({ workspaceId, deliveryId }) => records.get(workspaceId, deliveryId)),
    getSentRequests: listing(({ workspaceId, deliveryId }) => sentRequests(workspaceId, deliveryId)),
  }
}
