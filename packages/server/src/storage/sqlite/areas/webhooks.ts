import { switched, type WebhookStatus } from '../../../core/switches.ts'
import type { WebhookUpdate } from '../../storage.ts'
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
    RETURNING id`,
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
    UPDATE webhooks SET deleted_at = @now, updated_at = @now, version = version + 1
    WHERE id = @webhookId AND workspace_id = @workspaceId AND deleted_at IS NULL`,
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
  const insert = db.prepare<Record<string, unknown>, { id: number }>(sql.insert)
  const update = db.prepare<unknown[]>(sql.update)
  const remove = db.prepare<VerbParams<'deleteWebhook'>>(sql.remove)
  const moves = {
    switchOn: db.prepare<[number]>(sql.switchOn),
    resume: db.prepare<[number]>(sql.resume),
    pause: db.prepare<[number]>(sql.pause),
    switchOff: db.prepare<[number]>(sql.switchOff),
  }

  function write(row: WebhookRow, { changes, now }: VerbParams<'updateWebhook'>): WebhookUpdate['outcome'] {
    const status = switched(row.stored_status, changes)
    if (status === null) return 'off'
    const url = changes.url ?? row.url
    const eventTypes = changes.eventTypes === undefined ? row.event_types : JSON.stringify(changes.eventTypes)
    const description = changes.description ?? row.description
    const wanted = movesTo(row.stored_status, status)
    const same = url === row.url && eventTypes === row.event_types && description === row.description
    if (same && wanted.length === 0) return 'updated'
    matchCache.forget(row.workspace_id)
    update.run(url, eventTypes, description, now, row.id)
    for (const move of wanted) moves[move].run(row.id)
    if (status === 'off' && wanted.length > 0) cancel([row.id], now)
    return 'updated'
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
      secrets.add(created.id, params.sealedSecret, now)
      matchCache.forget(workspaceId)
      return { outcome: 'created', webhook: toWebhook(rows.byId.get(workspaceId, created.id)!) }
    },
    getWebhook({ workspaceId, publicId }) {
      const row = rows.byPublicId.get(workspaceId, publicId)
      return row === undefined ? null : toWebhook(row)
    },
    listWebhooks: ({ workspaceId, limit, before }) =>
      rows.list.all(workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit).map(toWebhook),
    updateWebhook(params) {
      const row = rows.byId.get(params.workspaceId, params.webhookId)
      if (row === undefined) return null
      const outcome = write(row, params)
      if (outcome === 'off') return { outcome }
      return { outcome, webhook: toWebhook(rows.byId.get(params.workspaceId, params.webhookId)!) }
    },
    deleteWebhook(params) {
      const { workspaceId, webhookId, now } = params
      if (remove.run(params).changes === 0) return false
      matchCache.forget(workspaceId)
      secrets.removeAll(webhookId)
      cancel([webhookId], now)
      return true
    },
    rotateSecret({ workspaceId, webhookId, sealedSecret, overlapMs, now }) {
      const row = rows.byId.get(workspaceId, webhookId)
      if (row === undefined) return null
      matchCache.forget(workspaceId)
      secrets.replace(webhookId, sealedSecret, overlapMs, now)
      update.run(row.url, row.event_types, row.description, now, webhookId)
      return toWebhook(rows.byId.get(workspaceId, webhookId)!)
    },
  }
}
