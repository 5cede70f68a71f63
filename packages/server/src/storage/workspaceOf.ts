import type { CallParams } from './callGroups.ts'

/** For calls that belong to no single workspace: those of the sender, and those about credentials and nodes. */
export const NO_WORKSPACE = 0

/** The workspace that a call of the store is for. */
export function workspaceOf(name: string, params: unknown): number {
  if (name === 'publish')
    return (params as CallParams<'publish'>).batches[0]?.[0]?.workspaceId ?? NO_WORKSPACE
  if (name === 'change') {
    const change = params as CallParams<'change'>
    return workspaceOf(change.call, change.params)
  }
  return (params as { readonly workspaceId?: number } | undefined)?.workspaceId ?? NO_WORKSPACE
}
