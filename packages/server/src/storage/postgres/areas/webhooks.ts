import { toWebhook, type WebhookRow } from '../../records/webhooks.ts'
import { otherVersion, weighUpdate } from '../../records/webhookUpdate.ts'
import type { Webhook } from '../../rows.ts'
import type { WebhookUpdate } from '../../storage.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, type VerbParams, type VerbTable, writes } from '../verb.ts'
import { cancel } from './cancel.ts'
import { bumpMatching } from './matching.ts'
import { addSecret, removeSecrets, retireSecret } from './secrets.ts'
import { findWebhook, lockWebhook, webhookSql } from './webhookRows.ts'

const sql = {
  count: 'SELECT count(*) AS count FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL',
  insert: `
    INSERT INTO webhooks (workspace_id, public_id, url, event_types, description, status, created_by_type,
      created_by_public_id, created_at, updated_at, version)
    SELECT id, $2, $3, $4, $5, 'on', $6, $7, $8, $8, 1 FROM workspaces WHERE id = $1 AND deleted_at IS NULL
    RETURNING id, version`,
  addUrl: 'INSERT INTO webhook_urls (webhook_id, from_version, url) VALUES ($1, $2, $3)',
  update: `
    UPDATE webhooks SET url = $2, event_types = $3, description = $4, status = $5, off_reason = $6,
      failing_since = $7, warned = (warned AND $7::bigint IS NOT NULL), updated_at = $8, version = version + 1
    WHERE id = $1`,
  touch: 'UPDATE webhooks SET updated_at = $2, version = version + 1 WHERE id = $1',
  remove: 'UPDATE webhooks SET deleted_at = $2, updated_at = $2, version = version + 1 WHERE id = $1',
}

type WebhookVerbs = Pick<
  VerbTable,
  'createWebhook' | 'getWebhook' | 'listWebhooks' | 'updateWebhook' | 'deleteWebhook' | 'rotateSecret'
>

export function webhookVerbs({ locks }: Store): WebhookVerbs {
  /**
   * The webhook, to be changed by nobody else until the transaction ends, while nothing is published to its workspace:
   * what is published before goes by what it was, and what is published afterwards by what it is then.
   */
  async function take(tx: Tx, workspaceId: number, webhookId: number): Promise<WebhookRow | undefined> {
    const [, row] = await Promise.all([
      locks.exclude(tx, [workspaceId]),
      lockWebhook(tx, workspaceId, webhookId),
    ])
    return row
  }

  return {
    createWebhook: writes(async (tx, params) => {
      const { workspaceId, publicId, url, eventTypes, description, createdBy, maxWebhooks, now } = params
      const [, counted] = await Promise.all([
        locks.exclude(tx, [workspaceId]),
        tx.row<{ count: number }>(sql.count, [workspaceId]),
      ])
      if (maxWebhooks !== null && counted!.count >= maxWebhooks) return { outcome: 'limit_reached' }
      const fields = [publicId, url, JSON.stringify(eventTypes), description]
      const made = [createdBy.type, createdBy.publicId, now]
      const created = await tx.row<Pick<WebhookRow, 'id' | 'version'>>(sql.insert, [
        workspaceId,
        ...fields,
        ...made,
      ])
      if (created === undefined) return { outcome: 'workspace_not_found' }
      const { id, version } = created
      const [webhook] = await Promise.all([
        reread(tx, workspaceId, id),
        tx.run(sql.addUrl, [id, version, url]),
        addSecret(tx, id, params.sealedSecret, version, now),
        bumpMatching(tx, [workspaceId]),
      ])
      return { outcome: 'created', webhook }
    }),
    getWebhook: reads(async (tx, { workspaceId, publicId }) => {
      const row = await tx.row<WebhookRow>(webhookSql.byPublicId, [workspaceId, publicId])
      return row === undefined ? null : toWebhook(row)
    }),
    listWebhooks: reads(async (tx, { workspaceId, limit, before }) => {
      const values = [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit]
      return (await tx.rows<WebhookRow>(webhookSql.page, values)).map(toWebhook)
    }),
    updateWebhook: writes(async (tx, params) => {
      const row = await take(tx, params.workspaceId, params.webhookId)
      if (row === undefined) return null
      return otherVersion(row, params.ifVersions) ?? write(tx, row, params)
    }),
    deleteWebhook: writes(async (tx, { workspaceId, webhookId, ifVersions, now }) => {
      const row = await take(tx, workspaceId, webhookId)
      if (row === undefined) return null
      const refusal = otherVersion(row, ifVersions)
      if (refusal !== null) return refusal
      await Promise.all([
        tx.run(sql.remove, [webhookId, now]),
        removeSecrets(tx, webhookId),
        bumpMatching(tx, [workspaceId]),
      ])
      await cancel(tx, [webhookId], now)
      return { outcome: 'deleted' }
    }),
    rotateSecret: writes(async (tx, params) => {
      const { workspaceId, webhookId, ifVersions, sealedSecret, overlapMs, now } = params
      const row = await take(tx, workspaceId, webhookId)
      if (row === undefined) return null
      const refusal = otherVersion(row, ifVersions)
      if (refusal !== null) return refusal
      const version = row.version + 1
      const [, , , , webhook] = await Promise.all([
        tx.run(sql.touch, [webhookId, now]),
        retireSecret(tx, webhookId, now + overlapMs, version),
        addSecret(tx, webhookId, sealedSecret, version, now),
        bumpMatching(tx, [workspaceId]),
        reread(tx, workspaceId, webhookId),
      ])
      return { outcome: 'rotated', webhook }
    }),
  }
}

async function write(
  tx: Tx,
  row: WebhookRow,
  { changes, now }: VerbParams<'updateWebhook'>,
): Promise<WebhookUpdate> {
  const weighed = weighUpdate(row, changes)
  if (weighed.outcome === 'off') return { outcome: 'off' }
  if (weighed.outcome === 'same') return { outcome: 'updated', webhook: toWebhook(row), changed: false }
  const { url, eventTypes, description, status, offReason, failingSince } = weighed.row
  const [, , webhook] = await Promise.all([
    tx.run(sql.update, [row.id, url, eventTypes, description, status, offReason, failingSince, now]),
    bumpMatching(tx, [row.workspace_id]),
    reread(tx, row.workspace_id, row.id),
    weighed.newUrl ? tx.run(sql.addUrl, [row.id, row.version + 1, url]) : null,
  ])
  if (weighed.switchedOff) await cancel(tx, [row.id], now)
  return { outcome: 'updated', webhook, changed: true }
}

async function reread(tx: Tx, workspaceId: number, webhookId: number): Promise<Webhook> {
  return toWebhook((await findWebhook(tx, workspaceId, webhookId))!)
}
