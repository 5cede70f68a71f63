import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { Store } from '../store.ts'
import { reads, type VerbTable, writes } from '../verb.ts'
import { cancel } from './cancel.ts'
import { bumpMatching } from './matching.ts'
import { nobodyOf } from './memberships.ts'
import { endSessions } from './sessionEnder.ts'

const LIVING = '($2::text IS NULL OR dialect = $2) AND deleted_at IS NULL'

export const workspaceSql = {
  find: `
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE public_id = $1 AND ${LIVING}
    UNION SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE slug = $1 AND ${LIVING}`,
}

const sql = {
  create: `
    INSERT INTO workspaces (public_id, dialect, slug, name, created_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (slug, dialect) WHERE deleted_at IS NULL DO NOTHING RETURNING ${WORKSPACE_COLUMNS}`,
  list: `
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces
    WHERE id < $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $2`,
  suspend: `
    UPDATE workspaces SET suspended_at = $2
    WHERE id = $1 AND deleted_at IS NULL AND (suspended_at IS NULL) <> ($2::bigint IS NULL)`,
  /** In order, like everybody who locks several. */
  lockOn: `
    SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL AND status = 'on'
    ORDER BY id FOR NO KEY UPDATE`,
  lockAll: `
    SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
  /** Senders on other nodes see by the version that the webhook is no longer what they remember. */
  touchWebhooks: `
    UPDATE webhooks SET version = version + 1
    WHERE workspace_id = $1 AND deleted_at IS NULL AND status = 'on'`,
  remove: 'UPDATE workspaces SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL',
  revokeKeys: 'UPDATE keys SET revoked_at = $2 WHERE workspace_id = $1 AND revoked_at IS NULL',
  people: 'SELECT id, email FROM members WHERE workspace_id = $1',
  removeSecrets: 'DELETE FROM secrets WHERE webhook_id IN (SELECT id FROM webhooks WHERE workspace_id = $1)',
  removeWebhooks: `
    UPDATE webhooks SET deleted_at = $2, updated_at = $2, version = version + 1
    WHERE workspace_id = $1 AND deleted_at IS NULL`,
}

type WorkspaceVerbs = Pick<
  VerbTable,
  'createWorkspace' | 'getWorkspace' | 'listWorkspaces' | 'suspendWorkspace' | 'deleteWorkspace'
>

interface Id {
  readonly id: number
}

interface Person extends Id {
  readonly email: string
}

const idsOf = (rows: readonly Id[]): number[] => rows.map(({ id }) => id)

export function workspaceVerbs({ locks }: Store): WorkspaceVerbs {
  return {
    createWorkspace: writes(async (tx, { publicId, dialect, slug, name, now }) => {
      const row = await tx.row<WorkspaceRow>(sql.create, [publicId, dialect, slug, name, now])
      return row === undefined ? null : toWorkspace(row)
    }),
    getWorkspace: reads(async (tx, { ref, dialect }) => {
      const rows = await tx.rows<WorkspaceRow>(workspaceSql.find, [ref, dialect])
      const named = rows.find((row) => row.public_id === ref)
      // Two dialects may each have this slug; guessing could suspend or delete the wrong one.
      const row = named ?? (rows.length === 1 ? rows[0] : undefined)
      return row === undefined ? null : toWorkspace(row)
    }),
    listWorkspaces: reads(async (tx, { limit, before }) => {
      const values = [before ?? Number.MAX_SAFE_INTEGER, limit]
      return (await tx.rows<WorkspaceRow>(sql.list, values)).map(toWorkspace)
    }),
    suspendWorkspace: writes(async (tx, { workspaceId, suspendedAt }) => {
      const [, suspended] = await Promise.all([
        locks.exclude(tx, [workspaceId]),
        tx.run(sql.suspend, [workspaceId, suspendedAt]),
      ])
      if (suspended === 0) return null
      const [webhooks] = await Promise.all([
        tx.rows<Id>(sql.lockOn, [workspaceId]),
        tx.run(sql.touchWebhooks, [workspaceId]),
        bumpMatching(tx, [workspaceId]),
      ])
      return idsOf(webhooks)
    }),
    deleteWorkspace: writes(async (tx, { workspaceId, now }) => {
      const [, , removed] = await Promise.all([
        locks.removePeople(tx),
        locks.exclude(tx, [workspaceId]),
        tx.run(sql.remove, [workspaceId, now]),
      ])
      if (removed === 0) return null
      const [webhooks, people] = await Promise.all([
        tx.rows<Id>(sql.lockAll, [workspaceId]),
        tx.rows<Person>(sql.people, [workspaceId]),
        tx.run(sql.removeWebhooks, [workspaceId, now]),
        tx.run(sql.removeSecrets, [workspaceId]),
        tx.run(sql.revokeKeys, [workspaceId, now]),
        bumpMatching(tx, [workspaceId]),
      ])
      const emails = await nobodyOf(
        tx,
        people.map(({ email }) => email),
      )
      await endSessions(tx, { emails, memberIds: idsOf(people) }, now)
      const webhookIds = idsOf(webhooks)
      await cancel(tx, webhookIds, now)
      return webhookIds
    }),
  }
}
