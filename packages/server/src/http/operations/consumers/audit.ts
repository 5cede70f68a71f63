import type { By } from '../../../engine/engine.ts'
import type { AuditEntry } from '../../../storage/auditRows.ts'
import type { Workspace } from '../../../storage/rows.ts'
import type { IdempotencyRecord, ToAudit } from '../../../storage/storage.ts'
import type { ServiceContext } from '../../shared/context.ts'

/** What a change of a consumer is stored with. */
export function auditOf(
  { clock }: ServiceContext,
  { publicId }: Workspace,
  action: Extract<AuditEntry['action'], `consumer.${string}`>,
  name: string,
  { actor, requestId, idempotency }: By,
  details: AuditEntry['details'] = {},
): { readonly audit: ToAudit; readonly idempotency: IdempotencyRecord | null; readonly now: number } {
  const target = { type: 'consumer', id: name } as const
  return {
    audit: { action, actor, workspacePublicId: publicId, target, details, requestId },
    idempotency:
      idempotency === null ? null : { ...idempotency, responseData: null, responseDataUntil: null },
    now: clock.now(),
  }
}
