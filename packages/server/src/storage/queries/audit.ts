import type { OffReason } from '../../core/health.ts'
import type { AuditActor, AuditEntry, Named } from '../auditRows.ts'
import type { Creator } from '../rows.ts'
import { list, type Queries } from './query.ts'
import { columns, isOneOf, sql, textList, typed } from './sql.ts'
import { row, rows, run, type Work } from './work.ts'

const SELECT = `
  SELECT ${columns('id at action workspacePublicId details requestId')}, actor_type, actor_id, session_id, target_type,
    target_id
  FROM audit_log`
const NEWEST_FIRST = 'id < $1 ORDER BY id DESC LIMIT $2'
const NO_TEXT = 'CAST(NULL AS TEXT)'
const WANTED = isOneOf('$1', 'text')

const named = (table: string) => sql`
  SELECT public_id AS "publicId", name, ${NO_TEXT} AS url, ${NO_TEXT} AS creator, ${NO_TEXT} AS "creatorId"
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
    UNION ALL ${named('admin_tokens')}
    UNION ALL
    SELECT public_id, description, url, created_by_type, created_by_public_id FROM webhooks
    WHERE public_id ${WANTED}`,
  insert: sql`
    INSERT INTO audit_log (at, action, actor_type, actor_id, session_id, workspace_public_id, target_type, target_id,
      details, request_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  webhook: sql`
    SELECT w.public_id AS id, s.public_id AS "workspacePublicId"
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id WHERE w.id = $1`,
}

export const BY_RULE: AuditActor = { type: 'system', id: null, sessionId: null }

/** Writes the audit log, in the transaction of the audited change. */
export function addAudit(entry: Omit<AuditEntry, 'id' | 'at'>, now: number): Work<number> {
  const { action, actor, workspacePublicId, target, details, requestId } = entry
  const who = [actor.type, actor.id, actor.sessionId]
  const what = [workspacePublicId, target.type, target.id]
  return run(auditSql.insert, [now, action, ...who, ...what, JSON.stringify(details), requestId])
}

export function* auditDisabled(webhookId: number, reason: OffReason, now: number): Work<unknown> {
  const webhook = yield* row<{ readonly id: string; readonly workspacePublicId: string }>(auditSql.webhook, [
    webhookId,
  ])
  const { id, workspacePublicId } = webhook!
  const target = { type: 'webhook', id } as const
  const what = { action: 'webhook.switched_off', target, details: { reason } } as const
  return yield* addAudit({ ...what, actor: BY_RULE, workspacePublicId, requestId: null }, now)
}

interface AuditRow extends Omit<AuditEntry, 'actor' | 'target' | 'details'> {
  readonly actor_type: AuditActor['type']
  readonly actor_id: string | null
  readonly session_id: string | null
  readonly target_type: AuditEntry['target']['type']
  readonly target_id: string
  /** As JSON. */
  readonly details: string
}

function toAuditEntry(row: AuditRow): AuditEntry {
  const { actor_type, actor_id, session_id, target_type, target_id, details, ...entry } = row
  return {
    ...entry,
    actor: { type: actor_type, id: actor_id, sessionId: session_id },
    target: { type: target_type, id: target_id },
    details: JSON.parse(details) as AuditEntry['details'],
  }
}

interface NamedRow extends Omit<Named, 'webhook'> {
  /** `null`: it is no webhook. */
  readonly url: string | null
  readonly creator: Creator['type']
  readonly creatorId: string
}

const toNamed = ({ publicId, name, url, creator, creatorId }: NamedRow): Named => ({
  publicId,
  name,
  webhook: url === null ? null : { url, createdBy: { type: creator, publicId: creatorId } },
})

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
