import fc from 'fast-check'
import type { ApiDocument } from '../../api/apiDocument.ts'
import { type Exchange, type Knowledge, membersOf } from '../knowledge.ts'
import { Notes } from '../notes.ts'
import { type Account, Pool } from '../pool.ts'
import { overrides } from './overrides.ts'
import type { Playground } from './playground.ts'
import { LASTING_SERVICE, OTHER_SERVICES, profilesOf } from './profiles.ts'
import type { Scene } from './scene.ts'

/** Workspaces that requests create, beyond the permanent ones; older ones are then forgotten. */
const ACCOUNTS_AT_MOST = 24
const KEYS_EACH = 12

/** What the fuzzer must know about this service to pass its checks. */
export function posthornKnowledge(
  documents: readonly ApiDocument[],
  { accounts, known }: Scene,
  playground: Playground,
): Knowledge {
  const pool = new Pool(documents)
  for (const [resource, one] of known) pool.add(resource, one)
  const workspaces = accounts.flatMap(({ params }) => params.ws ?? [])
  return {
    documents,
    accounts,
    pool,
    notes: new Notes(),
    answersWith: {
      '/v1/workspaces/{ws}/webhooks/{id}/test': '/v1/workspaces/{ws}/webhooks/{id}/deliveries/{did}',
      '/api/v1/webhooks/{id}/test': '/api/v1/webhook-deliveries/{id}',
      '/api/v1/webhook-deliveries/replay': '/api/v1/webhook-deliveries/replays/{id}',
      '/v1/workspaces/{ws}/webhooks/{id}/recover': '/v1/workspaces/{ws}/webhooks/{id}/recoveries/{rid}',
      '/api/v1/webhooks/{id}/recover': '/api/v1/webhook-deliveries/recoveries/{id}',
      '/v1/workspaces/{ws}/webhooks/{id}/retry': NOTHING,
      '/api/v1/webhooks/{id}/retry': NOTHING,
      // Paths to deliveries also name their webhook; its own list shows them.
      '/v1/workspaces/{ws}/deliveries': NOTHING,
      // They return nothing that a path could use.
      '/v1/workspaces/{ws}/operational-webhook': NOTHING,
      '/api/v1/operational-webhook': NOTHING,
      '/admin/v1/operational-webhook': NOTHING,
      '/v1/workspaces/{ws}/audit-log': NOTHING,
      '/api/v1/audit-log': NOTHING,
      '/admin/v1/audit-log': NOTHING,
    },
    weights: WEIGHTS,
    destructive: DESTRUCTIVE,
    bodies: {
      createService: profilesOf(OTHER_SERVICES),
      updateService: profilesOf([LASTING_SERVICE, LASTING_SERVICE, ...OTHER_SERVICES]),
      checkService: profilesOf([LASTING_SERVICE, ...OTHER_SERVICES]),
      seekContentConsumer: STARTS,
      seekAdsConsumer: STARTS,
    },
    overridesFor: (document) => overrides(document, playground.targets),
    learnMore: (exchange) => {
      learnCredentials(exchange, accounts, workspaces)
      learnService(exchange, pool)
      learnConsumer(exchange, pool)
    },
  }
}

const NOTHING = ''

/** Only one member of the body may be there, which its schema does not say. */
const STARTS = fc.constantFrom({ start: 'now' }, { start: 'oldest' }, { since: '2026-03-14T00:00:00Z' })

/** Publishing is the main purpose; deletions remove the basis of other requests. */
const WEIGHTS: Readonly<Record<string, number>> = {
  publishContentEvent: 12,
  publishAdsEvent: 12,
  publishContentEvents: 6,
  publishAdsEvents: 6,
  listAdsDeliveries: 8,
  redeliverContentDelivery: 12,
  retryContentDelivery: 40,
  retryAdsDelivery: 24,
  watchDeliveries: 6,
  createContentConsumer: 12,
  createAdsConsumer: 12,
  seekContentConsumer: 8,
  seekAdsConsumer: 8,
  rotateContentWebhookSecret: 6,
  rotateAdsWebhookSecret: 6,
  recoverContentWebhook: 8,
  recoverAdsWebhook: 8,
  createKey: 8,
  createService: 8,
  updateService: 12,
  deleteService: 2,
  createWorkspace: 8,
  deleteWorkspace: 1,
  suspendWorkspace: 2,
  deleteMember: 2,
  deleteSessions: 2,
  signOut: 1,
  signOutEverywhere: 1,
  revokeKey: 1,
  revokeAdminToken: 1,
  healthz: 1,
  readyz: 1,
  metrics: 1,
}

const DESTRUCTIVE: ReadonlySet<string> = new Set([
  'deleteWorkspace',
  'suspendWorkspace',
  'updateMember',
  'deleteMember',
  'deleteSessions',
  'deleteOperator',
  'deleteService',
  'revokeKey',
  'revokeAdminToken',
  'updateContentWebhook',
  'deleteContentWebhook',
  'updateAdsWebhook',
  'deleteAdsWebhook',
  'deleteContentOperationalWebhook',
  'seekContentConsumer',
  'deleteContentConsumer',
  'seekAdsConsumer',
  'deleteAdsConsumer',
  'deleteAdsOperationalWebhook',
  'deleteOperationalWebhook',
])

/** Services are identified by name. */
function learnService({ operation, account, json }: Exchange, pool: Pool): void {
  const { name } = membersOf(json)
  if (operation.id === 'createService' && typeof name === 'string')
    pool.add('/admin/v1/services/{id}', { params: { id: name }, owner: account, lasting: false })
}

/** So are consumers. */
function learnConsumer({ operation, account, params, json }: Exchange, pool: Pool): void {
  const { name } = membersOf(json)
  if (!/^create(Content|Ads)Consumer$/.test(operation.id) || typeof name !== 'string') return
  const { ws } = params
  const known = { params: { ...(ws === undefined ? {} : { ws }), name }, owner: account, lasting: false }
  pool.add(`${operation.path}/{name}`, known)
}

/** Credentials in an answer belong to the workspace in its path. */
function learnCredentials(
  { operation, params, json }: Exchange,
  accounts: Account[],
  lasting: readonly string[],
): void {
  const { id, slug, dialect, key, token } = membersOf(json)
  if (operation.id === 'createWorkspace' && typeof id === 'string') {
    accounts.push({
      document: String(dialect),
      keys: [],
      spentKeys: [],
      params: { ws: [id, String(slug)] },
      lasting: false,
    })
    const made = accounts.filter((account) => !account.lasting)
    if (made.length > ACCOUNTS_AT_MOST) accounts.splice(accounts.indexOf(made[0]!), 1)
  }
  for (const account of accounts.filter((one) => one.params.ws?.includes(params.ws ?? ''))) {
    // Only sessions are valid for the console.
    const secret = account.document === 'console' ? token : (key ?? token)
    // Credentials of permanent workspaces come and go too, but the first ones stay.
    const first = lasting.includes(params.ws ?? '') ? Math.min(3, account.keys.length) : 0
    if (typeof secret === 'string') remember(account, secret, first)
  }
}

function remember({ keys }: Account, secret: string, first: number): void {
  if (keys.length >= KEYS_EACH) keys.splice(first, 1)
  if (!keys.includes(secret)) keys.push(secret)
}
