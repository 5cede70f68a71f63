import type { AuditEntry } from '../model/audit.ts'
import { camelKeys } from './camelKeys.ts'

/** Reads an entry of a service's API or of the admin API. */
export function toAuditEntry(json: unknown): AuditEntry {
  const entry = camelKeys(json as AuditEntry)
  return { ...entry, actor: camelKeys(entry.actor) }
}
