import { cancelVerbs } from './areas/cancel.ts'
import { claimVerbs } from './areas/claim.ts'
import { counterVerbs } from './areas/counters.ts'
import { fanoutVerbs } from './areas/fanoutSteps.ts'
import { feedVerbs } from './areas/feed.ts'
import { logVerbs } from './areas/log.ts'
import { nodeVerbs } from './areas/nodes.ts'
import { overviewVerbs } from './areas/overviews.ts'
import { publishVerbs } from './areas/publish.ts'
import { pullInVerbs } from './areas/pullIn.ts'
import { queueVerbs } from './areas/queue.ts'
import { recordVerbs } from './areas/record.ts'
import { replayVerbs } from './areas/replays.ts'
import { retentionVerbs } from './areas/retention.ts'
import type { Role, VerbName, VerbTable } from './messages.ts'
import type { Store } from './store.ts'
import { sharedVerbs } from './syncWork.ts'

export function verbTable(store: Store): VerbTable {
  const own = {
    ...cancelVerbs(store),
    ...claimVerbs(store),
    ...counterVerbs(store),
    ...fanoutVerbs(store),
    ...feedVerbs(store),
    ...logVerbs(store),
    ...nodeVerbs(store),
    ...overviewVerbs(store),
    ...publishVerbs(store),
    ...pullInVerbs(store),
    ...queueVerbs(store),
    ...recordVerbs(store),
    ...replayVerbs(store),
    ...retentionVerbs(store),
  }
  return { ...own, ...sharedVerbs(store, own) }
}

/** Reads that people ask for. They see every write that was answered before. */
const LISTINGS: ReadonlySet<VerbName> = new Set([
  'countEvents',
  'countReplayable',
  'describeWebhooks',
  'describeWorkspaces',
  'findWebhooks',
  'getDelivery',
  'getEvent',
  'getReplay',
  'getSentRequests',
  'latestEvents',
  'listAudit',
  'listEvents',
  'listKeys',
  'listMembers',
  'listNodes',
  'listNotifications',
  'listSecrets',
  'listOperators',
  'listWebhooks',
  'listWorkspaces',
  'manualSendsLeft',
  'namesOf',
  'queuePeaks',
  'rankFigures',
  'readFigures',
  'searchDeliveries',
  'webhookHours',
  'webhookStates',
])

/** Small reads of the writer: a group of nothing else needs no commit. */
const READS: ReadonlySet<VerbName> = new Set([
  ...LISTINGS,
  'findAddressee',
  'findBrowserSession',
  'findKey',
  'findSession',
  'findSignInLink',
  'getKey',
  'getMember',
  'getMemberById',
  'getWebhook',
  'getWorkspace',
  'hasQueueSample',
  'loadTargets',
  'readClock',
  'readQueue',
])

export function routesOf(verbs: VerbTable): Record<string, Role> {
  const names = Object.keys(verbs) as VerbName[]
  return Object.fromEntries(names.map((verb) => [verb, LISTINGS.has(verb) ? 'reader' : 'writer']))
}

export function isRead(verb: VerbName): boolean {
  return READS.has(verb)
}
