import type { Workspace } from '../../../api/provisioning.ts'

/** Workspaces in whose name, path, id or service every word is found. */
export function workspacesLike(workspaces: readonly Workspace[], query: string): readonly Workspace[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return workspaces.filter(({ id, name, slug, dialect }) => {
    const text = [id, name, slug, dialect].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
