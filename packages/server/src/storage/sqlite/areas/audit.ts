import type { OffReason } from '../../../core/health.ts'
import type { AuditActor, AuditEntry } from '../../rows.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const SELECT = `
  SELECT id, at, action, actor_type, actor_id, session_id, workspace_public_id, target_type, target_id, details,
    request_id
  FROM audit_log`
const NEWEST_FIRST = 'id < @before ORDER BY id DESC LIMIT @limit'

/** One statement for each set of filters: with one for all, SQLite could use no index. */
export const auditSql = {
  all: `${SELECT} WHERE ${NEWEST_FIRST}`,
  ofWorkspace: `${SELECT} WHERE workspace_public_id = @workspacePublicId AND ${NEWEST_FIRST}`,
  ofTarget: `
    ${SELECT} WHERE target_id = @targetId
      AND (@workspacePublicId IS NULL OR workspace_public_id = @workspacePublicId) AND ${NEWEST_FIRST}`,
}

const sql = {
  insert: `
    INSERT INTO audit_log (at, action, actor_type, actor_id, session_id, workspace_public_id, target_type,
      target_id, details, request_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  webhook: `
    SELECT w.public_id, s.public_id AS workspace_public_id
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id WHERE w.id = ?`,
}

const BY_RULE: AuditActor = { type: 'system', id: null, sessionId: null }

interface Row {
  readonly id: number
  readonly at: number
  readonly action: AuditEntry['action']
  readonly actor_type: AuditActor['type']
  readonly actor_id: string | null
  readonly session_id: string | null
  readonly workspace_public_id: string
  readonly target_type: AuditEntry['target']['type']
  readonly target_id: string
  readonly details: string
  readonly request_id: string | null
}

interface WebhookRow {
  readonly public_id: string
  readonly workspace_public_id: string
}

/** Writes the audit log, in the transaction of what it tells of. */
export function auditor(db: Connection) {
  const insert = db.prepare<unknown[]>(sql.insert)
  const webhook = db.prepare<[number], WebhookRow>(sql.webhook)

  function add(entry: Omit<AuditEntry, 'id' | 'at'>, now: number): void {
    const { action, actor, workspacePublicId, target, details, requestId } = entry
    insert.run(
      now,
      action,
      actor.type,
      actor.id,
      actor.sessionId,
      workspacePublicId,
      target.type,
      target.id,
      JSON.stringify(details),
      requestId,
    )
  }

  return {
    add,
    switchedOff(webhookId: number, reason: OffReason, now: number): void {
      const about = webhook.get(webhookId)!
      const entry = {
        action: 'webhook.switched_off' as const,
        actor: BY_RULE,
        workspacePublicId: about.workspace_public_id,
        target: { type: 'webhook' as const, id: about.public_id },
        details: { reason },
        requestId: null,
      }
      add(entry, now)
    },
  }
}

export function auditVerbs({ db }: Store): Pick<VerbTable, 'listAudit'> {
  const all = db.prepare<unknown[], Row>(auditSql.all)
  const ofWorkspace = db.prepare<unknown[], Row>(auditSql.ofWorkspace)
  const ofTarget = db.prepare<unknown[], Row>(auditSql.ofTarget)
  return {
    listAudit({ workspacePublicId, targetId, limit, before }) {
      const list = targetId !== null ? ofTarget : workspacePublicId !== null ? ofWorkspace : all
      const range = { limit, before: before ?? Number.MAX_SAFE_INTEGER }
      return list.all({ workspacePublicId, targetId, ...range }).map(toEntry)
    },
  }
}

function toEntry(row: Row): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, sessionId: row.session_id },
    workspacePublicId: row.workspace_public_id,
    target: { type: row.target_type, id: row.target_id },
    details: JSON.parse(row.details) as AuditEntry['details'],
    requestId: row.request_id,
  }
}
