import type { AuditEntry } from '../../../src/storage/auditRows.ts'
import type { ToAudit } from '../../../src/storage/storage.ts'

/** An entry with only its action. */
export const noted = (action: AuditEntry['action']): ToAudit => ({
  action,
  actor: { type: 'operator', id: null, sessionId: null },
  workspacePublicId: 'ws_any',
  target: { type: 'workspace', id: 'ws_any' },
  details: {},
  requestId: 'req_1',
})
