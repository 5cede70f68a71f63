import { switched, type WebhookStatus } from '../../../core/switches.ts'
import type { Webhook } from '../../rows.ts'
import type { OtherVersion, WebhookUpdate } from '../../storage.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { canceler } from './cancel.ts'
import { secretRows } from './secrets.ts'
import { toWebhook, type WebhookRow, webhookRows } from './webhookRows.ts'

const sql = {
  count: 'SELECT count(*) AS count FROM webhooks WHERE workspace_id = ? AND deleted_at IS NULL',
  insert: `
    INSERT INTO webhooks (public_id, workspace_id, url, event_types, description, status, created_by_type,
      created_by_public_id, created_at, updated_at, version)
    SELECT @publicId, id, @url, @types, @description, 'on', @creatorType, @creatorId, @now, @now, 1
    FROM workspaces WHERE id = @workspaceId AND deleted_at IS NULL
    RETURNING id, version`,
  addUrl: 'INSERT INTO webhook_urls (webhook_id, from_version, url) VALUES (?, ?, ?)',
  update: `
    UPDATE webhooks SET url = ?, event_types = ?, description = ?, updated_at = ?, version = version + 1
    WHERE id = ?`,
  switchOn: `
    UPDATE webhooks SET status = 'on', off_reason = NULL, failing_since = NULL, warned = 0 WHERE id = ?`,
  /** The spell of failing goes on: nothing was delivered meanwhile. */
  resume: `UPDATE webhooks SET status = 'on' WHERE id = ?`,
  pause: `UPDATE webhooks SET status = 'paused' WHERE id = ?`,
  switchOff: `UPDATE webhooks SET status = 'off', off_reason = 'manual' WHERE id = ?`,
  remove: `
    UPDATE webhooks SET deleted_at = @now, updated_at = @now, version = version + 1 WHERE id = @webhookId`,
}

type WebhookVerbs = Pick<
  VerbTable,
  'createWebhook' | 'getWebhook' | 'listWebhooks' | 'updateWebhook' | 'deleteWebhook' | 'rotateSecret'
>

type Move = 'switchOn' | 'resume' | 'pause' | 'switchOff'

/** The moves that lead from one status to another, in order. */
function movesTo(from: WebhookStatus, to: WebhookStatus): readonly Move[] {
  if (to === from) return []
  if (to === 'off') return ['switchOff']
  if (to === 'paused') return from === 'off' ? ['switchOn', 'pause'] : ['pause']
  return from === 'off' ? ['switchOn'] : ['resume']
}

export function webhookVerbs({ db, matchCache }: Store): WebhookVerbs {
  const rows = webhookRows(db)
  const secrets = secretRows(db)
  const { cancel } = canceler(db)
  const count = db.prepare<[number], { count: number }>(sql.count)
  const insert = db.prepare<Record<string, unknown>, Pick<WebhookRow, 'id' | 'version'>>(sql.insert)
  const addUrl = db.prepare<[number, number, string]>(sql.addUrl)
  const update = db.prepare<unknown[]>(sql.update)
  const remove = db.prepare<{ webhookId: number; now: number }>(sql.remove)
  const moves = {
    switchOn: db.prepare<[number]>(sql.switchOn),
    resume: db.prepare<[number]>(sql.resume),
    pause: db.prepare<[number]>(sql.pause),
    switchOff: db.prepare<[number]>(sql.switchOff),
  }

  function reread({ workspace_id: workspaceId, id }: WebhookRow): Webhook {
    return toWebhook(rows.byId.get(workspaceId, id)!)
  }

  function write(row: WebhookRow, { changes, now }: VerbParams<'updateWebhook'>): WebhookUpdate {
    const status = switched(row.stored_status, changes)
    if (status === null) return { outcome: 'off' }
    const url = changes.url ?? row.url
    const eventTypes = changes.eventTypes === undefined ? row.event_types : JSON.stringify(changes.eventTypes)
    const description = changes.description ?? row.description
    const wanted = movesTo(row.stored_status, status)
    const same = url === row.url && eventTypes === row.event_types && description === row.description
    if (same && wanted.length === 0) return { outcome: 'updated', webhook: toWebhook(row), changed: false }
    matchCache.forget(row.workspace_id)
    update.run(url, eventTypes, description, now, row.id)
    if (url !== row.url) addUrl.run(row.id, row.version + 1, url)
    for (const move of wanted) moves[move].run(row.id)
    if (status === 'off' && wanted.length > 0) cancel([row.id], now)
    return { outcome: 'updated', webhook: reread(row), changed: true }
  }

  return {
    createWebhook(params) {
      const { workspaceId, publicId, url, eventTypes, description, createdBy, maxWebhooks, now } = params
      if (maxWebhooks !== null && count.get(workspaceId)!.count >= maxWebhooks)
        return { outcome: 'limit_reached' }
      const created = insert.get({
        publicId,
        workspaceId,
        url,
        types: JSON.stringify(eventTypes),
        description,
        creatorType: createdBy.type,
        creatorId: createdBy.publicId,
        now,
      })
      if (created === undefined) return { outcome: 'workspace_not_found' }
      addUrl.run(created.id, created.version, url)
      secrets.add(created.id, params.sealedSecret, created.version, now)
      matchCache.forget(workspaceId)
      return { outcome: 'created', webhook: toWebhook(rows.byId.get(workspaceId, created.id)!) }
    },
    getWebhook({ workspaceId, publicId }) {
      const row = rows.byPublicId.get(workspaceId, publicId)
      return row === undefined ? null : toWebhook(row)
    },
    listWebhooks: ({ workspaceId, limit, before }) =>
      rows.page.get(workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit)!.page,
    updateWebhook(params) {
      const row = rows.byId.get(params.workspaceId, params.webhookId)
      if (row === undefined) return null
      return otherVersion(row, params.ifVersions) ?? write(row, params)
    },
    deleteWebhook({ workspaceId, webhookId, ifVersions, now }) {
      const row = rows.byId.get(workspaceId, webhookId)
      if (row === undefined) return null
      const refusal = otherVersion(row, ifVersions)
      if (refusal !== null) return refusal
      matchCache.forget(workspaceId)
      remove.run({ webhookId, now })
      secrets.removeAll(webhookId)
      cancel([webhookId], now)
      return { outcome: 'deleted' }
    },
    rotateSecret({ workspaceId, webhookId, ifVersions, sealedSecret, overlapMs, now }) {
      const row = rows.byId.get(workspaceId, webhookId)
      if (row === undefined) return null
      const refusal = otherVersion(row, ifVersions)
      if (refusal !== null) return refusal
      matchCache.forget(workspaceId)
      update.run(row.url, row.event_types, row.description, now, webhookId)
      secrets.replace(webhookId, sealedSecret, overlapMs, row.version + 1, now)
      return { outcome: 'rotated', webhook: reread(row) }
    },
  }
}

function otherVersion({ version }: WebhookRow, ifVersions: readonly number[] | null): OtherVersion | null {
  return ifVersions === null || ifVersions.includes(version) ? null : { outcome: 'other_version', version }
}
