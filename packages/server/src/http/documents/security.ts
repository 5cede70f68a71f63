import type { Security } from './objects.ts'

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const

const apiKey = bearer('An API key of a workspace, `phk_…`. The operator creates keys.')
const memberSession = bearer(
  'The session token of a member of a workspace, `phs_…`. The operator creates sessions.',
)
const adminToken = bearer('An admin token: `POSTHORN_ADMIN_TOKEN`, or one that an operator created, `pht_…`.')
const browserSession = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-posthorn_session',
  description:
    'The session cookie of the console; without TLS it is named `posthorn_session`. An `Authorization` header takes precedence. Requests that change something are rejected with 403 `cross_site`, unless the browser reports that they come from a page of this service.',
} as const

/** How callers of a service say who they are. */
export const SERVICE_SECURITY = {
  schemes: { apiKey, memberSession, browserSession },
  security: [{ apiKey: [] }, { memberSession: [] }, { browserSession: [] }] as Security,
}

/** Events come from services, not from people. */
export const PUBLISHER_SECURITY = { security: [{ apiKey: [] }] as Security }

export const ADMIN_SECURITY = {
  schemes: { adminToken, browserSession },
  security: [{ adminToken: [] }, { browserSession: [] }] as Security,
}

/** The console is for people. */
export const CONSOLE_SECURITY = {
  schemes: { memberSession, browserSession },
  security: [{ browserSession: [] }, { memberSession: [] }] as Security,
}

export const ALL_SCHEMES = { ...SERVICE_SECURITY.schemes, ...ADMIN_SECURITY.schemes }

export const NO_CREDENTIALS: Security = []
