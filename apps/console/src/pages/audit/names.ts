import type { Name } from '../../api/names.ts'
import type { AuditEntry } from '../../model/audit.ts'

/** What people call things that the audit log has ids of; `null`: it is not known here, or deleted. */
export type NameOf = (type: string, id: string) => string | null

/** @param known of two names the later one counts */
export function nameOf(known: Iterable<Name>): NameOf {
  const names = new Map(known)
  return (_, id) => names.get(id) ?? null
}

/** API keys are named by the entries of their making. */
export const namesIn = (entries: readonly AuditEntry[]): readonly Name[] =>
  entries.flatMap(({ action, target, details: { name } }) =>
    action === 'key.created' && typeof name === 'string' ? [[target.id, name] as const] : [],
  )
