import type { Security } from './objects.ts'

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const

const apiKey = bearer('An API key of a workspace, `phk_…`. The operator makes keys.')
const adminToken = bearer("The operator's provisioning token.")

/** How callers of a service say who they are. */
export const SERVICE_SECURITY = {
  schemes: { apiKey },
  security: [{ apiKey: [] }] as Security,
}

/** How the operator does. */
export const ADMIN_SECURITY = {
  schemes: { adminToken },
  security: [{ adminToken: [] }] as Security,
}

export const ALL_SCHEMES = { ...SERVICE_SECURITY.schemes, ...ADMIN_SECURITY.schemes }

export const NOBODY: Security = []
