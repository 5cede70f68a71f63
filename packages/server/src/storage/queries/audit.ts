import type { OffReason } from '../../core/health.ts'
import {
  AUDIT_COLUMNS,
  type AuditedWebhookRow,
  type AuditRow,
  auditValues,
  type NamedRow,
  switchedOffEntry,
  toAuditEntry,
  toNamed,
} from '../rowMappers/audit.ts'
import type { AuditEntry } from '../rows.ts'
import { list, type Queries } from './query.ts'
import { isOneOf, sql, textList, typed } from './sql.ts'
import { row, rows, run, type Work } from './work.ts'

const SELECT = `SELECT id, ${AUDIT_COLUMNS} FROM audit_log`
const NEWEST_FIRST = 'id < $1 ORDER BY id DESC LIMIT $2'
const NO_TEXT = 'CAST(NULL AS TEXT)'
const WANTED = isOneOf('$1', 'text')

const named = (table: string) => sql`
  SELECT public_id, name, ${NO_TEXT} AS url, ${NO_TEXT} AS created_by_type, ${NO_TEXT} AS created_by_public_id
  FROM ${table} WHERE public_id ${WANTED}`

/** One statement for each set of filters: with one for all, no index could be used. */
export const auditSql = {
  all: sql`${SELECT} WHERE ${NEWEST_FIRST}`,
  ofWorkspace: sql`${SELECT} WHERE workspace_public_id = $3 AND ${NEWEST_FIRST}`,
  ofTarget: sql`
    ${SELECT} WHERE target_id = $3 AND (${typed('$4', 'text')} IS NULL OR workspace_public_id = $4)
      AND ${NEWEST_FIRST}`,
  names: sql`
    ${named('workspaces')} UNION ALL ${named('members')} UNION ALL ${named('keys')} UNION ALL ${named('operators')}
    UNION ALL
    SELECT public_id, description, url, created_by_type, created_by_public_id FROM webhooks
    WHERE public_id ${WANTED}`,
  insert: sql`INSERT INTO audit_log (${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  webhook: sql`
    SELECT w.public_id, s.public_id AS workspace_public_id
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id WHERE w.id = $1`,
}

/** Writes the audit log, in the transaction of what it tells of. */
export const addAudit = (entry: Omit<AuditEntry, 'id' | 'at'>, now: number): Work<number> =>
  run(auditSql.insert, auditValues(entry, now))

export function* auditSwitchedOff(webhookId: number, reason: OffReason, now: number): Work<unknown> {
  const webhook = (yield* row<AuditedWebhookRow>(auditSql.webhook, [webhookId]))!
  return yield* addAudit(switchedOffEntry(webhook, reason), now)
}

export const auditQueries: Queries<'listAudit' | 'namesOf'> = {
  listAudit: list(function* ({ workspacePublicId, targetId, limit, before }) {
    const page = [before ?? Number.MAX_SAFE_INTEGER, limit]
    const found =
      targetId !== null
        ? yield* rows<AuditRow>(auditSql.ofTarget, [...page, targetId, workspacePublicId])
        : workspacePublicId !== null
          ? yield* rows<AuditRow>(auditSql.ofWorkspace, [...page, workspacePublicId])
          : yield* rows<AuditRow>(auditSql.all, page)
    return found.map(toAuditEntry)
  }),
  namesOf: list(function* ({ publicIds }) {
    return (yield* rows<NamedRow>(auditSql.names, [textList(publicIds)])).map(toNamed)
  }),
}
