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
    searchDeliveries: searcher(db),
    getDelivery: ({ workspaceId, deliveryId }) => records.get(workspaceId, deliveryId),
    getSentRequests: ({ workspaceId, deliveryId }) => sentRequests(workspaceId, deliveryId),
  }
}
