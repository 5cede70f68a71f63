import type { AuditEntry } from '../model/audit.ts'
import { camelKeys } from './camelKeys.ts'

/** An entry of a service or of provisioning. */
export function toAuditEntry(json: unknown): AuditEntry {
  const entry = camelKeys(json as AuditEntry)
  return { ...entry, actor: camelKeys(entry.actor) }
}
