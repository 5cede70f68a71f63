import { adminTokenQueries } from './adminTokens.ts'
import { alertMailQueries } from './alertMails.ts'
import { auditQueries } from './audit.ts'
import { browserSessionQueries } from './browserSessions.ts'
import { cancelQueries } from './cancel.ts'
import { changeQueries } from './changes.ts'
import { consumerQueries } from './consumers.ts'
import { currentStateQueries } from './currentState.ts'
import { egressQueries } from './egress.ts'
import { fanoutQueries } from './fanouts.ts'
import { feedQueries } from './feed.ts'
import { keyQueries } from './keys.ts'
import { limitQueries } from './limits.ts'
import { manualSendQueries } from './manualSends.ts'
import { masterKeyQueries } from './masterKeys.ts'
import { memberQueries, operatorQueries } from './members.ts'
import { notificationQueries } from './notifications.ts'
import { operationalQueries } from './operational.ts'
import { describedQueries, overviewQueries } from './overviews.ts'
import { profileQueries } from './profiles.ts'
import { providerSignInQueries } from './providerSignIns.ts'
import { queueQueries } from './queue.ts'
import { replayQueries } from './replays.ts'
import { retryQueries } from './retries.ts'
import { clockQueries, queueSampleQueries } from './samples.ts'
import { searchQueries } from './search.ts'
import { searchEventQueries } from './searchEvents.ts'
import { searchIndexQueries } from './searchIndex.ts'
import { sentRequestQueries } from './sentRequests.ts'
import { sessionQueries } from './sessions.ts'
import { signInLinkQueries } from './signInLinks.ts'
import { statsQueries } from './stats.ts'
import { stopQueries } from './stops.ts'
import { targetQueries } from './targets.ts'
import { secretQueries, webhookQueries } from './webhooks.ts'
import { workspaceQueries } from './workspaces.ts'

/** The calls that are written once for both databases. */
export const queries = {
  ...fanoutQueries,
  ...feedQueries,
  ...overviewQueries,
  ...searchQueries,
  ...searchEventQueries,
  ...searchIndexQueries,
  ...sentRequestQueries,
  ...profileQueries,
  ...queueQueries,
  ...queueSampleQueries,
  ...currentStateQueries,
  ...stopQueries,
  ...targetQueries,
  ...statsQueries,
  ...limitQueries,
  ...secretQueries,
  ...replayQueries,
  ...retryQueries,
  ...manualSendQueries,
  ...clockQueries,
  ...adminTokenQueries,
  ...alertMailQueries,
  ...operationalQueries,
  ...auditQueries,
  ...browserSessionQueries,
  ...providerSignInQueries,
  ...cancelQueries,
  ...changeQueries,
  ...consumerQueries,
  ...describedQueries,
  ...egressQueries,
  ...keyQueries,
  ...masterKeyQueries,
  ...memberQueries,
  ...notificationQueries,
  ...operatorQueries,
  ...sessionQueries,
  ...signInLinkQueries,
  ...webhookQueries,
  ...workspaceQueries,
}
