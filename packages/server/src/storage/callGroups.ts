import type { AccountReads } from './interface/accounts.ts'
import type { AdminTokenReads } from './interface/adminTokens.ts'
import type { AlertCalls } from './interface/alerts.ts'
import type { AuditReads } from './interface/audit.ts'
import type { ChangeCalls, Changes } from './interface/changes.ts'
import type { ConsumerCalls } from './interface/consumers.ts'
import type { CredentialCalls } from './interface/credentials.ts'
import type { EgressCalls } from './interface/egress.ts'
import type { LogReads } from './interface/log.ts'
import type { MaintenanceCalls } from './interface/maintenance.ts'
import type { ManualSendReads } from './interface/manualSends.ts'
import type { MasterKeyCalls } from './interface/masterKeys.ts'
import type { NodeCalls } from './interface/nodes.ts'
import type { NotificationCalls } from './interface/notifications.ts'
import type { ProfileReads } from './interface/profiles.ts'
import type { SendingCalls } from './interface/sending.ts'
import type { SignInCalls } from './interface/signIns.ts'
import type { StatsReads } from './interface/stats.ts'
import type { WebhookReads } from './interface/webhooks.ts'

/** Groups with read calls only, so that drivers define them by kinds of reads. */
interface ReadCallGroups {
  readonly accounts: AccountReads
  readonly adminTokens: AdminTokenReads
  readonly webhooks: WebhookReads
  readonly log: LogReads & ManualSendReads
  readonly audit: AuditReads
  readonly stats: StatsReads
  readonly profiles: ProfileReads
}

/** The calls of the store, by subject. Changes are in no group: only `change` makes them. */
export interface CallGroups extends ReadCallGroups {
  readonly nodes: NodeCalls
  readonly masterKeys: MasterKeyCalls
  readonly sending: SendingCalls
  readonly maintenance: MaintenanceCalls
  readonly egress: EgressCalls
  readonly consumers: ConsumerCalls
  readonly credentials: CredentialCalls
  readonly signIns: SignInCalls
  readonly notifications: NotificationCalls
  readonly alerts: AlertCalls
}

/** The names of the calls of each group; types do not exist at run time. */
export const CALL_GROUPS = {
  accounts: [
    'getWorkspace',
    'listWorkspaces',
    'getMember',
    'getMemberById',
    'listMembers',
    'getKey',
    'listKeys',
  ],
  adminTokens: ['getAdminToken', 'listAdminTokens'],
  webhooks: [
    'getWebhook',
    'listWebhooks',
    'findWebhooks',
    'webhookStates',
    'countDue',
    'listSecrets',
    'getSigningSecrets',
  ],
  log: [
    'searchDeliveries',
    'getDelivery',
    'getSentRequests',
    'listEvents',
    'searchEvents',
    'getEvent',
    'latestEvents',
    'seenEventTypes',
    'countMissed',
    'missedOf',
    'manualSendsLeft',
    'countReplayable',
    'getReplay',
    'latestRecovery',
    'getWebhookRetry',
  ],
  audit: ['listAudit', 'namesOf'],
  stats: [
    'readStats',
    'webhookHours',
    'rankStats',
    'queuePeaks',
    'describeWebhooks',
    'describeWorkspaces',
    'countWebhooks',
    'listFailing',
    'oldestPending',
  ],
  profiles: ['readProfilesState', 'listProfiles', 'getProfileDocument', 'listProfileVersions'],
  nodes: ['registerNode', 'renewNode', 'retireNode', 'listNodes'],
  masterKeys: [
    'readKeyCheck',
    'keepKeyCheck',
    'replaceKeyCheck',
    'requireKeyIds',
    'countSealed',
    'countShortLived',
    'readSealed',
    'reseal',
  ],
  sending: [
    'reserveEventIds',
    'publish',
    'claimDue',
    'recordAttempts',
    'releaseDeliveries',
    'releaseLimits',
    'loadTargets',
    'countPending',
  ],
  maintenance: [
    'readClock',
    'noteClock',
    'rescueDeliveries',
    'pullInDue',
    'cancelDeliveries',
    'deleteExpired',
    'stepFanouts',
    'stepReplays',
    'stepRetries',
    'rollUpStats',
    'findUnindexed',
    'readUnindexed',
    'indexEvents',
    'indexCodes',
    'readQueue',
    'readQueueLater',
    'hasQueueSample',
    'keepQueueSample',
  ],
  egress: ['readOpen', 'noteOpen', 'listOutages', 'recentlyReached'],
  consumers: [
    'getConsumer',
    'listConsumers',
    'walkConsumers',
    'consumerLags',
    'lookAhead',
    'placeBefore',
    'skipUnwanted',
  ],
  credentials: [
    'findKey',
    'touchKeys',
    'findAdminToken',
    'touchAdminTokens',
    'findSession',
    'findBrowserSession',
  ],
  signIns: [
    'listOperators',
    'deleteOperator',
    'findAddressee',
    'findSignInLink',
    'signIn',
    'signInByProvider',
    'signInToPortal',
    'usePortalLinkIn',
    'createBrowserSession',
    'endBrowserSession',
    'endBrowserSessions',
  ],
  notifications: [
    'listNotifications',
    'claimNotifications',
    'pullInNotifications',
    'renewNotification',
    'settleNotification',
  ],
  alerts: ['readAlerts', 'settleAlerts', 'mailAlerts', 'closeMinutes', 'getOperational', 'makeOperational'],
} as const satisfies { readonly [G in CallGroupName]: readonly (keyof CallGroups[G])[] }

/** The groups in the table; fewer than {@link CallGroups} if a call is missing there. */
type Listed = {
  readonly [G in CallGroupName]: Pick<CallGroups[G], (typeof CALL_GROUPS)[G][number] & keyof CallGroups[G]>
}

export type CallGroupName = keyof CallGroups
type Union<T> = T[keyof T]
type Merged<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never

/** The calls of all groups. */
export type GroupedCalls = Merged<Union<CallGroups>>
/** Every call that is one transaction: the calls that a driver implements. */
export type StorageCalls = GroupedCalls & Changes & ChangeCalls & { check(): Promise<void> }
export type CallName = keyof StorageCalls
export type CallParams<N extends CallName> = Parameters<StorageCalls[N]>[0]
export type CallResult<N extends CallName> = Awaited<ReturnType<StorageCalls[N]>>
/** Calls of groups that only read. */
export type ReadName = keyof Merged<Union<ReadCallGroups>>

/** @param calls implements the calls; created once, when the store is opened */
export function groupCalls(calls: GroupedCalls): CallGroups {
  const groups = Object.entries(CALL_GROUPS).map(([group, names]) => [
    group,
    Object.fromEntries(names.map((name) => [name, calls[name]])),
  ])
  const listed: Listed = Object.fromEntries(groups)
  return listed
}
