import type { AuditEntry, Named } from '../auditRows.ts'
import type { Page } from './page.ts'

export interface AuditReads {
  /** Newest first. `null` leaves a filter out. */
  listAudit(
    params: {
      /** Public id; a workspace that was deleted has its entries still. */
      workspacePublicId: string | null
      /** Public id of what was changed. */
      targetId: string | null
    } & Page,
  ): Promise<readonly AuditEntry[]>
  /** What people call workspaces, members, keys, operators, admin tokens and webhooks; those that are gone are left out. */
  namesOf(params: { publicIds: readonly string[] }): Promise<readonly Named[]>
}
