import type { AuditEntry } from '../../storage/auditRows.ts'
import type { Workspace } from '../../storage/rows.ts'
import type { ToAudit } from '../../storage/storage.ts'
import type { By } from '../engine.ts'

export type Note = Pick<AuditEntry, 'action' | 'target' | 'details'>

/** The audit entry of a change. */
export function toAudit(workspace: Workspace, by: By, note: Note): ToAudit {
  return { ...note, actor: by.actor, requestId: by.requestId, workspacePublicId: workspace.publicId }
}
