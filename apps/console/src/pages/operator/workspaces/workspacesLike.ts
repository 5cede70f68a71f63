import type { Workspace } from '../../../api/provisioning.ts'
import { hasAllWords } from '../../../model/words.ts'

/** Workspaces in whose name, path, id or service every word is found. @param titleOf what a service is called */
export function workspacesLike(
  workspaces: readonly Workspace[],
  query: string,
  titleOf: (dialect: string) => string,
): readonly Workspace[] {
  return workspaces.filter(({ id, name, slug, dialect }) =>
    hasAllWords(query, [id, name, slug, dialect, titleOf(dialect)]),
  )
}
