import type { Workspace } from '../../../api/provisioning.ts'
import { hasAllWords } from '../../../model/words.ts'

/** Workspaces in whose name, path, id or service every word is found. */
export function workspacesLike(workspaces: readonly Workspace[], query: string): readonly Workspace[] {
  return workspaces.filter(({ id, name, slug, dialect }) => hasAllWords(query, [id, name, slug, dialect]))
}
