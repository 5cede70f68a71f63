import type { Storage } from './storage.ts'

/** Calls that belong to no workspace alone: the sender's own, and those about credentials and nodes. */
export const NO_WORKSPACE = 0

/** The workspace that a call of the store is for. */
export function workspaceOf(verb: string, params: unknown): number {
  if (verb === 'publish')
    return (params as Parameters<Storage['publish']>[0]).batches[0]?.[0]?.workspaceId ?? NO_WORKSPACE
  if (verb === 'change') {
    const change = params as Parameters<Storage['change']>[0]
    return workspaceOf(change.verb, change.params)
  }
  return (params as { readonly workspaceId?: number } | undefined)?.workspaceId ?? NO_WORKSPACE
}
