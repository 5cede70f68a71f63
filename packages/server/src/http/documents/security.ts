import type { Security } from './objects.ts'

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const

const apiKey = bearer('An API key of a workspace, `phk_…`. The operator makes keys.')
const memberSession = bearer(
  'The session token of a member of a workspace, `phs_…`. The operator signs members in.',
)
const adminToken = bearer("The operator's token.")

/** How callers of a service say who they are. */
export const SERVICE_SECURITY = {
  schemes: { apiKey, memberSession },
  security: [{ apiKey: [] }, { memberSession: [] }] as Security,
}

/** Events come from services, not from people. */
export const PUBLISHER_SECURITY = { security: [{ apiKey: [] }] as Security }

export const ADMIN_SECURITY = { schemes: { adminToken }, security: [{ adminToken: [] }] as Security }

export const ALL_SCHEMES = { ...SERVICE_SECURITY.schemes, ...ADMIN_SECURITY.schemes }

export const NOBODY: Security = []
