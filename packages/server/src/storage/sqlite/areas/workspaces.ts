import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { canceler } from './cancel.ts'
import { memberships } from './memberships.ts'
import { sessionEnder } from './sessionEnder.ts'

const sql = {
  create: `
    INSERT INTO workspaces (public_id, dialect, slug, name, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (slug, dialect) WHERE deleted_at IS NULL DO NOTHING
    RETURNING ${WORKSPACE_COLUMNS}`,
  byPublicId: `SELECT ${WORKSPACE_COLUMNS} FROM workspaces s WHERE public_id = ? AND deleted_at IS NULL`,
  bySlug: `
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces s
    WHERE slug = @ref AND (@dialect IS NULL OR dialect = @dialect) AND deleted_at IS NULL LIMIT 2`,
  list: `
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces s
    WHERE id < ? AND deleted_at IS NULL ORDER BY id DESC LIMIT ?`,
  suspend: `
    UPDATE workspaces SET suspended_at = @suspendedAt
    WHERE id = @workspaceId AND deleted_at IS NULL AND (suspended_at IS NULL) <> (@suspendedAt IS NULL)`,
  /** Senders on other nodes see by the version that the webhook is no longer what they remember. */
  touchWebhooks: `
    UPDATE webhooks SET version = version + 1
    WHERE workspace_id = ? AND deleted_at IS NULL AND status = 'on' RETURNING id`,
  remove: 'UPDATE workspaces SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL',
  revokeKeys: 'UPDATE keys SET revoked_at = ? WHERE workspace_id = ? AND revoked_at IS NULL',
  people: 'SELECT id, email FROM members WHERE workspace_id = ?',
  removeSecrets: `
    DELETE FROM secrets WHERE webhook_id IN (SELECT id FROM webhooks WHERE workspace_id = ?)`,
  removeWebhooks: `
    UPDATE webhooks SET deleted_at = @now, updated_at = @now, version = version + 1
    WHERE workspace_id = @workspaceId AND deleted_at IS NULL RETURNING id`,
}

type WorkspaceVerbs = Pick<
  VerbTable,
  'createWorkspace' | 'getWorkspace' | 'listWorkspaces' | 'suspendWorkspace' | 'deleteWorkspace'
>

export function workspaceVerbs({ db, matchCache }: Store): WorkspaceVerbs {
  const create = db.prepare<unknown[], WorkspaceRow>(sql.create)
  const byPublicId = db.prepare<[string], WorkspaceRow>(sql.byPublicId)
  const bySlug = db.prepare<{ ref: string; dialect: string | null }, WorkspaceRow>(sql.bySlug)
  const list = db.prepare<[number, number], WorkspaceRow>(sql.list)
  const suspend = db.prepare<{ workspaceId: number; suspendedAt: number | null }>(sql.suspend)
  const touchWebhooks = db.prepare<[number], { id: number }>(sql.touchWebhooks)
  const remove = db.prepare<[number, number]>(sql.remove)
  const revokeKeys = db.prepare<[number, number]>(sql.revokeKeys)
  const peopleOf = db.prepare<[number], { id: number; email: string }>(sql.people)
  const endSessions = sessionEnder(db)
  const { nobodyOf } = memberships(db)
  const removeSecrets = db.prepare<[number]>(sql.removeSecrets)
  const removeWebhooks = db.prepare<{ workspaceId: number; now: number }, { id: number }>(sql.removeWebhooks)
  const { cancel } = canceler(db)

  function find(ref: string, dialect: string | null): WorkspaceRow | undefined {
    const named = byPublicId.get(ref)
    if (named !== undefined && (dialect === null || named.dialect === dialect)) return named
    const matches = bySlug.all({ ref, dialect })
    // Two dialects may each have this slug; guessing could suspend or delete the wrong one.
    return matches.length === 1 ? matches[0] : undefined
  }

  return {
    createWorkspace({ publicId, dialect, slug, name, now }) {
      const row = create.get(publicId, dialect, slug, name, now)
      return row === undefined ? null : toWorkspace(row)
    },
    getWorkspace({ ref, dialect }) {
      const row = find(ref, dialect)
      return row === undefined ? null : toWorkspace(row)
    },
    listWorkspaces: ({ limit, before }) =>
      list.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(toWorkspace),
    suspendWorkspace({ workspaceId, suspendedAt }) {
      if (suspend.run({ workspaceId, suspendedAt }).changes === 0) return null
      matchCache.forget(workspaceId)
      return touchWebhooks.all(workspaceId).map((row) => row.id)
    },
    deleteWorkspace({ workspaceId, now }) {
      if (remove.run(now, workspaceId).changes === 0) return null
      matchCache.forget(workspaceId)
      revokeKeys.run(now, workspaceId)
      const people = peopleOf.all(workspaceId)
      const emails = nobodyOf(people.map(({ email }) => email))
      endSessions({ emails, memberIds: people.map(({ id }) => id) }, now)
      removeSecrets.run(workspaceId)
      const webhookIds = removeWebhooks.all({ workspaceId, now }).map((row) => row.id)
      cancel(webhookIds, now)
      return webhookIds
    },
  }
}
