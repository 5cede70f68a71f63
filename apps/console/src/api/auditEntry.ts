import type { components } from '../../../../packages/client/src/generated/content.ts'
import type { AuditEntry } from '../model/audit.ts'

/** An entry as the content service and provisioning have it. */
export const toAuditEntry = (json: components['schemas']['AuditEntry']): AuditEntry => ({
  at: json.at,
  action: json.action,
  actor: {
    type: json.actor.type,
    id: json.actor.id,
    name: json.actor.name,
    sessionId: json.actor.session_id,
  },
  workspaceId: json.workspace_id,
  workspaceName: json.workspace_name,
  target: json.target,
  details: json.details,
  requestId: json.request_id,
})
