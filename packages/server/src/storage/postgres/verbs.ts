import { auditVerbs } from './areas/audit.ts'
import { cancelVerbs } from './areas/cancel.ts'
import { changeVerbs } from './areas/changes.ts'
import { claimVerbs } from './areas/claim.ts'
import { counterVerbs } from './areas/counters.ts'
import { feedVerbs } from './areas/feed.ts'
import { keyVerbs } from './areas/keys.ts'
import { logVerbs } from './areas/log.ts'
import { manualSendVerbs } from './areas/manualSends.ts'
import { memberVerbs } from './areas/members.ts'
import { nodeVerbs } from './areas/nodes.ts'
import { notificationVerbs } from './areas/notifications.ts'
import { type Publish, publishVerbs } from './areas/publish.ts'
import { recordVerbs } from './areas/record.ts'
import { replayVerbs } from './areas/replays.ts'
import { retentionVerbs } from './areas/retention.ts'
import { sessionVerbs } from './areas/sessions.ts'
import { targetVerbs } from './areas/targets.ts'
import { webhookVerbs } from './areas/webhooks.ts'
import { workspaceVerbs } from './areas/workspaces.ts'
import type { Store } from './store.ts'
import type { VerbTable } from './verb.ts'

export function verbTable(store: Store, publish: Publish): VerbTable {
  const verbs = {
    ...auditVerbs(store),
    ...cancelVerbs(store),
    ...claimVerbs(store),
    ...counterVerbs(store),
    ...feedVerbs(store),
    ...keyVerbs(store),
    ...logVerbs(store),
    ...manualSendVerbs(store),
    ...memberVerbs(store),
    ...nodeVerbs(store),
    ...notificationVerbs(store),
    ...publishVerbs(store, publish),
    ...recordVerbs(store),
    ...replayVerbs(store),
    ...retentionVerbs(store),
    ...sessionVerbs(store),
    ...targetVerbs(store),
    ...webhookVerbs(store),
    ...workspaceVerbs(store),
  }
  return { ...verbs, ...changeVerbs(store, verbs) }
}
