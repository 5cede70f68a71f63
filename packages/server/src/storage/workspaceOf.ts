import type { VerbParams } from './callGroups.ts'

/** For calls that belong to no single workspace: those of the sender, and those about credentials and nodes. */
export const NO_WORKSPACE = 0

/** The workspace that a call of the store is for. */
export function workspaceOf(verb: string, params: unknown): number {
  if (verb === 'publish')
    return (params as VerbParams<'publish'>).batches[0]?.[0]?.workspaceId ?? NO_WORKSPACE
  if (verb === 'change') {
    const change = params as VerbParams<'change'>
    return workspaceOf(change.verb, change.params)
  }
  return (params as { readonly workspaceId?: number } | undefined)?.workspaceId ?? NO_WORKSPACE
}
