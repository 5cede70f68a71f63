import type { OffReason } from '../../../core/health.ts'
import {
  AUDIT_COLUMNS,
  type AuditedWebhookRow,
  type AuditRow,
  auditValues,
  type NamedRow,
  namesSql,
  switchedOffEntry,
  toAuditEntry,
  toNamed,
} from '../../records/audit.ts'
import type { AuditEntry } from '../../rows.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const SELECT = `SELECT id, ${AUDIT_COLUMNS} FROM audit_log`
const NEWEST_FIRST = 'id < @before ORDER BY id DESC LIMIT @limit'

/** One statement for each set of filters: with one for all, SQLite could use no index. */
export const auditSql = {
  all: `${SELECT} WHERE ${NEWEST_FIRST}`,
  ofWorkspace: `${SELECT} WHERE workspace_public_id = @workspacePublicId AND ${NEWEST_FIRST}`,
  ofTarget: `
    ${SELECT} WHERE target_id = @targetId
      AND (@workspacePublicId IS NULL OR workspace_public_id = @workspacePublicId) AND ${NEWEST_FIRST}`,
  names: namesSql('public_id IN (SELECT value FROM json_each(@publicIds))'),
}

const sql = {
  insert: `INSERT INTO audit_log (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  webhook: `
    SELECT w.public_id, s.public_id AS workspace_public_id
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id WHERE w.id = ?`,
}

/** Writes the audit log, in the transaction of what it tells of. */
export function auditor(db: Connection) {
  const insert = db.prepare<unknown[]>(sql.insert)
  const webhook = db.prepare<[number], AuditedWebhookRow>(sql.webhook)

  function add(entry: Omit<AuditEntry, 'id' | 'at'>, now: number): void {
    insert.run(...auditValues(entry, now))
  }

  return {
    add,
    switchedOff: (webhookId: number, reason: OffReason, now: number): void =>
      add(switchedOffEntry(webhook.get(webhookId)!, reason), now),
  }
}

export function auditVerbs({ db }: Store): Pick<VerbTable, 'listAudit' | 'namesOf'> {
  const all = db.prepare<unknown[], AuditRow>(auditSql.all)
  const ofWorkspace = db.prepare<unknown[], AuditRow>(auditSql.ofWorkspace)
  const ofTarget = db.prepare<unknown[], AuditRow>(auditSql.ofTarget)
  const names = db.prepare<unknown[], NamedRow>(auditSql.names)
  return {
    listAudit({ workspacePublicId, targetId, limit, before }) {
      const list = targetId !== null ? ofTarget : workspacePublicId !== null ? ofWorkspace : all
      const range = { limit, before: before ?? Number.MAX_SAFE_INTEGER }
      return list.all({ workspacePublicId, targetId, ...range }).map(toAuditEntry)
    },
    namesOf: ({ publicIds }) => names.all({ publicIds: JSON.stringify(publicIds) }).map(toNamed),
  }
}
