import type { OffReason } from '../../core/health.ts'
import type { AuditActor, AuditEntry, Creator, Named } from '../rows.ts'

export const AUDIT_COLUMNS = `
  at, action, actor_type, actor_id, session_id, workspace_public_id, target_type, target_id, details, request_id`

export interface AuditRow {
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

export interface NamedRow {
  readonly public_id: string
  readonly name: string
  readonly url: string | null
  readonly created_by_type: Creator['type']
  readonly created_by_public_id: string
}

export const toNamed = (row: NamedRow): Named => ({
  publicId: row.public_id,
  name: row.name,
  webhook:
    row.url === null
      ? null
      : { url: row.url, createdBy: { type: row.created_by_type, publicId: row.created_by_public_id } },
})

/** Names of a webhook and its workspace. */
export interface AuditedWebhookRow {
  readonly public_id: string
  readonly workspace_public_id: string
}

const BY_RULE: AuditActor = { type: 'system', id: null, sessionId: null }

type NewEntry = Omit<AuditEntry, 'id' | 'at'>

/** @returns what stands in {@link AUDIT_COLUMNS} */
export function auditValues(entry: NewEntry, now: number): (string | number | null)[] {
  const { action, actor, workspacePublicId, target, details, requestId } = entry
  const who = [actor.type, actor.id, actor.sessionId]
  const what = [workspacePublicId, target.type, target.id]
  return [now, action, ...who, ...what, JSON.stringify(details), requestId]
}

export function switchedOffEntry(webhook: AuditedWebhookRow, reason: OffReason): NewEntry {
  return {
    action: 'webhook.switched_off',
    actor: BY_RULE,
    workspacePublicId: webhook.workspace_public_id,
    target: { type: 'webhook', id: webhook.public_id },
    details: { reason },
    requestId: null,
  }
}

export function toAuditEntry(row: AuditRow): AuditEntry {
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
