import { nextStatus, type WebhookStatus } from '../../../src/core/enabledState.ts'
import type { CallParams } from '../../../src/storage/callGroups.ts'
import { WEBHOOK_DEFAULTS, type Webhook, type WebhookFields } from '../../../src/storage/rows.ts'
import type { OtherVersion, WebhookUpdate } from '../../../src/storage/storage.ts'
import { cancel, changed } from './canceling.ts'
import { waitingHeap } from './dueIndex.ts'
import { type StoredWebhook, toWebhook } from './rows.ts'
import type { Calls, StoreState } from './state.ts'

type WebhookCallName =
  | 'createWebhook'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateSecret'
  | 'listSecrets'

export function webhookCalls(state: StoreState): Calls<WebhookCallName> {
  function note(webhook: StoredWebhook): void {
    const { id: webhookId, status, url, eventTypes, version } = webhook
    state.note({ kind: 'changed', webhookId, status, url, eventTypes, version })
  }

  function update(
    webhook: StoredWebhook,
    { changes, now }: CallParams<'updateWebhook'>,
    status: WebhookStatus,
  ): WebhookUpdate {
    const { url, eventTypes, description, maxPerSecond, maxInFlight, status: before } = webhook
    const after = { url, eventTypes, description, maxPerSecond, maxInFlight, ...pick(changes), status }
    const same =
      after.url === url &&
      after.eventTypes.join() === eventTypes.join() &&
      after.description === description &&
      after.maxPerSecond === maxPerSecond &&
      after.maxInFlight === maxInFlight &&
      status === before
    if (same) return { outcome: 'updated', webhook: toWebhook(webhook), changed: false }
    const disabled = status === 'off' && before !== 'off'
    Object.assign(webhook, after)
    if (status !== before) turn(webhook, before, now)
    changed(state, webhook, now)
    note(webhook)
    if (disabled) cancel(state, webhook, now)
    return { outcome: 'updated', webhook: toWebhook(webhook), changed: true }
  }

  return {
    createWebhook({ sealedSecret, maxWebhooks, now, ...fields }) {
      const workspace = state.workspace(fields.workspaceId)
      const living = workspace?.webhooks.filter(({ deletedAt }) => deletedAt === null).length ?? 0
      if (maxWebhooks !== null && living >= maxWebhooks) return { outcome: 'limit_reached' }
      if (workspace === undefined) return { outcome: 'workspace_not_found' }
      const webhook = newWebhook(state, fields, now)
      webhook.secrets.push({ sealed: sealedSecret, expiresAt: null })
      state.webhooks.push(webhook)
      workspace.webhooks.push(webhook)
      note(webhook)
      return { outcome: 'created', webhook: toWebhook(webhook) }
    },
    getWebhook({ workspaceId, publicId }) {
      const of = state.workspace(workspaceId)?.webhooks ?? []
      const webhook = of.find(({ made, deletedAt }) => deletedAt === null && made.publicId === publicId)
      return webhook === undefined ? null : toWebhook(webhook)
    },
    updateWebhook(params) {
      const webhook = state.webhook(params.workspaceId, params.webhookId)
      if (webhook === undefined) return null
      const refusal = otherVersion(webhook, params.ifVersions)
      if (refusal !== null) return refusal
      const status = nextStatus(webhook.status, params.changes)
      return status === null ? { outcome: 'off' } : update(webhook, params, status)
    },
    deleteWebhook({ workspaceId, webhookId, ifVersions, now }) {
      const webhook = state.webhook(workspaceId, webhookId)
      if (webhook === undefined) return null
      const refusal = otherVersion(webhook, ifVersions)
      if (refusal !== null) return refusal
      remove(state, webhook, now)
      return { outcome: 'deleted' }
    },
    rotateSecret({ workspaceId, webhookId, ifVersions, sealedSecret, overlapMs, now }) {
      const webhook = state.webhook(workspaceId, webhookId)
      if (webhook === undefined) return null
      const refusal = otherVersion(webhook, ifVersions)
      if (refusal !== null) return refusal
      const { secrets } = webhook
      secrets[secrets.length - 1] = { ...secrets.at(-1)!, expiresAt: now + overlapMs }
      secrets.push({ sealed: sealedSecret, expiresAt: null })
      changed(state, webhook, now)
      note(webhook)
      return { outcome: 'rotated', webhook: toWebhook(webhook) }
    },
    listSecrets() {
      throw new Error('the simulated people create no webhook twice under one key')
    },
  }
}

/** Ends a webhook with all its pending deliveries. */
export function remove(state: StoreState, webhook: StoredWebhook, now: number): void {
  webhook.deletedAt = now
  webhook.secrets.length = 0
  changed(state, webhook, now)
  state.note({ kind: 'deleted', webhookId: webhook.id })
  cancel(state, webhook, now)
}

/** The effects of a new status. */
function turn(webhook: StoredWebhook, before: WebhookStatus, now: number): void {
  const { status, version, stoppedAt } = webhook
  if (status === 'off') Object.assign(webhook, { disabledVersion: version + 1, disabledAt: now })
  if (before === 'off') Object.assign(webhook, { failingSince: null, warned: false })
  webhook.offReason = status === 'off' ? 'manual' : null
  webhook.stoppedAt = status === 'on' ? null : (stoppedAt ?? now)
}

function newWebhook(
  state: StoreState,
  fields: Omit<CallParams<'createWebhook'>, 'sealedSecret' | 'maxWebhooks' | 'now'>,
  now: number,
): StoredWebhook {
  const id = state.webhooks.length + 1
  const fresh = { status: 'on', offReason: null, stoppedAt: null, failingSince: null, version: 1 } as const
  const made: Webhook = {
    ...WEBHOOK_DEFAULTS,
    ...fields,
    ...fresh,
    id,
    alertedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  const { url, eventTypes, description, maxPerSecond, maxInFlight } = made
  return {
    ...{ id, workspace: state.workspaces[fields.workspaceId - 1]!, made, secrets: [] },
    ...{
      url,
      eventTypes,
      description,
      maxPerSecond,
      maxInFlight,
      ...fresh,
      warned: false,
      updatedAt: now,
      deletedAt: null,
    },
    ...{ canceledThrough: null, canceledAt: null, disabledVersion: null, disabledAt: null },
    ...{ waiting: waitingHeap(), leased: new Set(), unhealthy: new Set(), retry: null },
  }
}

/** Absent members stay unchanged. */
function pick(changes: CallParams<'updateWebhook'>['changes']): Partial<WebhookFields> {
  const { enabled: _, paused: __, ...fields } = changes
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function otherVersion({ version }: StoredWebhook, ifVersions: readonly number[] | null): OtherVersion | null {
  return ifVersions === null || ifVersions.includes(version) ? null : { outcome: 'other_version', version }
}
