import type { Store } from '../store.ts'
import { snapshot, type VerbTable } from '../verb.ts'
import { readDelivery } from './deliveryRecords.ts'
import { searcher } from './search.ts'
import { readSentRequests } from './sentRequests.ts'

type LogVerbs = Pick<VerbTable, 'searchDeliveries' | 'getDelivery' | 'getSentRequests'>

export function logVerbs(store: Store): LogVerbs {
  return {
    searchDeliveries: snapshot(searcher(store)),
    getDelivery: snapshot((tx, { workspaceId, deliveryId }) => readDelivery(tx, workspaceId, deliveryId)),
    getSentRequests: snapshot((tx, { workspaceId, deliveryId }) =>
      readSentRequests(tx, workspaceId, deliveryId),
    ),
  }
}
