import { closed, pathId } from '../shared/schemas.ts'

export const workspaceParams = closed({ ws: pathId('Id or slug of the workspace.') })

// For the descriptions of members that `Visibility` hides.
export const NULL_WITHOUT_SCOPE = 'Null for keys without the scope `generations:read`.'
export const ORIGIN_WITHOUT_SCOPE =
  'Keys without the scope `generations:read` see only the scheme and the host, unless they created the webhook.'
