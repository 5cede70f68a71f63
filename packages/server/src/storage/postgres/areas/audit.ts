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
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, type VerbTable } from '../verb.ts'

const SELECT = `SELECT id, ${AUDIT_COLUMNS} FROM audit_log`
const NEWEST_FIRST = 'id < $1 ORDER BY id DESC LIMIT $2'

/** One statement for each set of filters: with one for all, the planner could use no index. */
export const auditSql = {
  all: `${SELECT} WHERE ${NEWEST_FIRST}`,
  ofWorkspace: `${SELECT} WHERE workspace_public_id = $3 AND ${NEWEST_FIRST}`,
  ofTarget: `
    ${SELECT} WHERE target_id = $3 AND ($4::text IS NULL OR workspace_public_id = $4) AND ${NEWEST_FIRST}`,
  names: namesSql('public_id = ANY ($1::text[])'),
}

const sql = {
  insert: `INSERT INTO audit_log (${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  webhook: `
    SELECT w.public_id, s.public_id AS workspace_public_id
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id WHERE w.id = $1`,
}

/** Writes the audit log, in the transaction of what it tells of. */
export async function addAudit(tx: Tx, entry: Omit<AuditEntry, 'id' | 'at'>, now: number): Promise<void> {
  await tx.run(sql.insert, auditValues(entry, now))
}

export async function auditSwitchedOff(
  tx: Tx,
  webhookId: number,
  reason: OffReason,
  now: number,
): Promise<void> {
  const webhook = (await tx.row<AuditedWebhookRow>(sql.webhook, [webhookId]))!
  await addAudit(tx, switchedOffEntry(webhook, reason), now)
}

export function auditVerbs(_store: Store): Pick<VerbTable, 'listAudit' | 'namesOf'> {
  return {
    listAudit: reads(async (tx, { workspacePublicId, targetId, limit, before }) => {
      const page = [before ?? Number.MAX_SAFE_INTEGER, limit]
      const rows =
        targetId !== null
          ? await tx.rows<AuditRow>(auditSql.ofTarget, [...page, targetId, workspacePublicId])
          : workspacePublicId !== null
            ? await tx.rows<AuditRow>(auditSql.ofWorkspace, [...page, workspacePublicId])
            : await tx.rows<AuditRow>(auditSql.all, page)
      return rows.map(toAuditEntry)
    }),
    namesOf: reads(async (tx, { publicIds }) =>
      (await tx.rows<NamedRow>(auditSql.names, [publicIds])).map(toNamed),
    ),
  }
}
