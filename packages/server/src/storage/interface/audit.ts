import type { AuditEntry, Named } from '../auditRows.ts'
import type { Page } from './page.ts'

export interface AuditReads {
  /** Newest first. `null`: no filter. */
  listAudit(
    params: {
      /** Public id; a deleted workspace still has its entries. */
      workspacePublicId: string | null
      /** Public id of the changed object. */
      targetId: string | null
    } & Page,
  ): Promise<readonly AuditEntry[]>
  /** Names of workspaces, members, keys, operators, admin tokens and webhooks; deleted ones are left out. */
  namesOf(params: { publicIds: readonly string[] }): Promise<readonly Named[]>
}
