import { afterEach, beforeEach, describe } from 'vitest'
import { adminTokenSuite } from './conformance/adminTokens.ts'
import { alertSuite } from './conformance/alerts.ts'
import { attemptSuite } from './conformance/attempts.ts'
import { auditSuite } from './conformance/audit.ts'
import { cancelSuite } from './conformance/cancel.ts'
import { changeSuite } from './conformance/changes.ts'
import { claimSuite } from './conformance/claim.ts'
import { consumerSuite } from './conformance/consumers.ts'
import { currentStateSuite } from './conformance/currentState.ts'
import { earlyWarningSuite } from './conformance/earlyWarnings.ts'
import { egressSuite } from './conformance/egress.ts'
import { failureSuite } from './conformance/failures.ts'
import { fanoutSuite } from './conformance/fanouts.ts'
import { feedSuite } from './conformance/feed.ts'
import { healthSuite } from './conformance/health.ts'
import { idempotencySuite } from './conformance/idempotency.ts'
import { idempotencySendSuite } from './conformance/idempotencySends.ts'
import { indexingSuite } from './conformance/indexing.ts'
import { keySuite } from './conformance/keys.ts'
import { limitSuite } from './conformance/limits.ts'
import { logSuite } from './conformance/log.ts'
import { manualSendSuite } from './conformance/manualSends.ts'
import { masterKeySuite } from './conformance/masterKeys.ts'
import { modelSuite } from './conformance/model.ts'
import { nodeSuite } from './conformance/nodes.ts'
import { notificationClaimSuite } from './conformance/notificationClaims.ts'
import { notificationSuite } from './conformance/notifications.ts'
import { overviewSuite } from './conformance/overviews.ts'
import { profileSuite } from './conformance/profiles.ts'
import { providerSignInSuite } from './conformance/providerSignIns.ts'
import { publishSuite } from './conformance/publish.ts'
import { pullInSuite } from './conformance/pullIn.ts'
import { queueSuite } from './conformance/queue.ts'
import { recoverySuite } from './conformance/recoveries.ts'
import { recoveryWaitSuite } from './conformance/recoveryWaits.ts'
import { reopenSuite } from './conformance/reopen.ts'
import { repeatSuite } from './conformance/repeats.ts'
import { replayModelSuite } from './conformance/replayModel.ts'
import { replayProgressSuite } from './conformance/replayProgress.ts'
import { replaySuite } from './conformance/replays.ts'
import { resendSuite } from './conformance/resend.ts'
import { retentionSuite } from './conformance/retention.ts'
import { retrySuite } from './conformance/retries.ts'
import { searchSuite } from './conformance/search.ts'
import { searchIndexSuite } from './conformance/searchIndex.ts'
import { searchModelSuite } from './conformance/searchModel.ts'
import { secretSuite } from './conformance/secrets.ts'
import { sentRequestSuite } from './conformance/sentRequests.ts'
import { sessionSuite } from './conformance/sessions.ts'
import { signInLinkSuite } from './conformance/signInLinks.ts'
import { signInSuite } from './conformance/signIns.ts'
import { statsSuite } from './conformance/stats.ts'
import { stopSuite } from './conformance/stops.ts'
import type { OpenedStore, Subject } from './conformance/subject.ts'
import { webhookFilterSuite } from './conformance/webhookFilters.ts'
import { webhookSuite } from './conformance/webhooks.ts'
import { webhookVersionSuite } from './conformance/webhookVersions.ts'
import { workspaceSuite } from './conformance/workspaces.ts'
import { World } from './conformance/world.ts'

type Suite = (subject: Subject) => void

/**
 * The conformance suite of every store.
 * @param open an empty store
 * @param chosen the suites to run; all by default
 */
export function storageConformance(
  name: string,
  open: () => Promise<OpenedStore>,
  chosen: readonly Suite[] = suites,
): void {
  describe(`store: ${name}`, () => {
    let opened: OpenedStore
    let world: World
    beforeEach(async () => {
      opened = await open()
      world = new World(opened.storage)
    })
    afterEach(() => opened.cleanup())
    const subject: Subject = { world: () => world, opened: () => opened }
    for (const suite of chosen) suite(subject)
  })
}

const suites: readonly Suite[] = [
  nodeSuite,
  masterKeySuite,
  profileSuite,
  publishSuite,
  repeatSuite,
  claimSuite,
  limitSuite,
  fanoutSuite,
  attemptSuite,
  healthSuite,
  earlyWarningSuite,
  alertSuite,
  notificationSuite,
  notificationClaimSuite,
  cancelSuite,
  webhookFilterSuite,
  webhookSuite,
  webhookVersionSuite,
  secretSuite,
  workspaceSuite,
  keySuite,
  adminTokenSuite,
  sessionSuite,
  signInLinkSuite,
  signInSuite,
  providerSignInSuite,
  changeSuite,
  idempotencySuite,
  idempotencySendSuite,
  auditSuite,
  logSuite,
  searchSuite,
  searchModelSuite,
  searchIndexSuite,
  indexingSuite,
  feedSuite,
  consumerSuite,
  overviewSuite,
  sentRequestSuite,
  manualSendSuite,
  resendSuite,
  replaySuite,
  replayProgressSuite,
  replayModelSuite,
  recoverySuite,
  recoveryWaitSuite,
  retrySuite,
  stopSuite,
  statsSuite,
  queueSuite,
  currentStateSuite,
  pullInSuite,
  egressSuite,
  retentionSuite,
  reopenSuite,
  failureSuite,
  modelSuite,
]
