import type { components } from '../../../../packages/client/src/generated/content.ts'
import type { AuditEntry } from '../model/audit.ts'
import { camelKeys } from './camelKeys.ts'

/** An entry as the content service and provisioning have it. */
export const toAuditEntry = (json: components['schemas']['AuditEntry']): AuditEntry => ({
  ...camelKeys(json),
  actor: camelKeys(json.actor),
})
