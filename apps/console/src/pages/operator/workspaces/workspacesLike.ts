import type { Workspace } from '../../../api/provisioning.ts'
import { hasAllWords } from '../../../model/words.ts'

/** Workspaces whose name, slug, id or service contain every word. @param titleOf title of a service */
export function workspacesLike(
  workspaces: readonly Workspace[],
  query: string,
  titleOf: (dialect: string) => string,
): readonly Workspace[] {
  return workspaces.filter(({ id, name, slug, dialect }) =>
    hasAllWords(query, [id, name, slug, dialect, titleOf(dialect)]),
  )
}
