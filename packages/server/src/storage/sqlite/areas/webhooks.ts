import { toWebhook, type WebhookRow } from '../../records/webhooks.ts'
import { otherVersion, weighUpdate } from '../../records/webhookUpdate.ts'
import type { Webhook } from '../../rows.ts'
import type { WebhookUpdate } from '../../storage.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { canceler } from './cancel.ts'
import { secretRows } from './secrets.ts'
import { webhookRows } from './webhookRows.ts'

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
    UPDATE webhooks SET url = @url, event_types = @eventTypes, description = @description, status = @status,
      off_reason = @offReason, failing_since = @failingSince, warned = (warned AND @failingSince IS NOT NULL),
      updated_at = @now, version = version + 1
    WHERE id = @webhookId`,
  touch: 'UPDATE webhooks SET updated_at = ?, version = version + 1 WHERE id = ?',
  remove: `
    UPDATE webhooks SET deleted_at = @now, updated_at = @now, version = version + 1 WHERE id = @webhookId`,
}

type WebhookVerbs = Pick<
  VerbTable,
  'createWebhook' | 'getWebhook' | 'listWebhooks' | 'updateWebhook' | 'deleteWebhook' | 'rotateSecret'
>

export function webhookVerbs({ db, matchCache }: Store): WebhookVerbs {
  const rows = webhookRows(db)
  const secrets = secretRows(db)
  const { cancel } = canceler(db)
  const count = db.prepare<[number], { count: number }>(sql.count)
  const insert = db.prepare<Record<string, unknown>, Pick<WebhookRow, 'id' | 'version'>>(sql.insert)
  const addUrl = db.prepare<[number, number, string]>(sql.addUrl)
  const update = db.prepare<Record<string, unknown>>(sql.update)
  const touch = db.prepare<[number, number]>(sql.touch)
  const remove = db.prepare<{ webhookId: number; now: number }>(sql.remove)

  function reread({ workspace_id: workspaceId, id }: WebhookRow): Webhook {
    return toWebhook(rows.byId.get(workspaceId, id)!)
  }

  function write(row: WebhookRow, { changes, now }: VerbParams<'updateWebhook'>): WebhookUpdate {
    const weighed = weighUpdate(row, changes)
    if (weighed.outcome === 'off') return { outcome: 'off' }
    if (weighed.outcome === 'same') return { outcome: 'updated', webhook: toWebhook(row), changed: false }
    matchCache.forget(row.workspace_id)
    update.run({ ...weighed.row, now, webhookId: row.id })
    if (weighed.newUrl) addUrl.run(row.id, row.version + 1, weighed.row.url)
    if (weighed.switchedOff) cancel([row.id], now)
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
      touch.run(now, webhookId)
      secrets.replace(webhookId, sealedSecret, overlapMs, row.version + 1, now)
      return { outcome: 'rotated', webhook: reread(row) }
    },
  }
}
