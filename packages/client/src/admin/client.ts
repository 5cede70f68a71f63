import { connect } from '../connection/connect.ts'
import type { ConnectionOptions } from '../connection/settings.ts'
import { adminTokens } from './adminTokens.ts'
import { keys } from './keys.ts'
import { portalLinks, signInLinks } from './links.ts'
import { members, sessions } from './members.ts'
import { operators } from './operators.ts'
import type { AdminApi, AdminPaths } from './types.ts'
import { adminAuditLog, workspaces } from './workspaces.ts'

export interface AdminClientOptions extends ConnectionOptions {
  /** The admin token of the service, or one that an operator created. */
  readonly adminToken: string
}

/** Provisioning: workspaces, their members and their keys. Workspaces are named by id or slug. */
export interface AdminClient {
  /** Every operation of the API, typed by its document; see openapi-fetch. */
  readonly api: AdminApi
  readonly workspaces: ReturnType<typeof workspaces>
  readonly members: ReturnType<typeof members>
  readonly sessions: ReturnType<typeof sessions>
  readonly portalLinks: ReturnType<typeof portalLinks>
  readonly signInLinks: ReturnType<typeof signInLinks>
  readonly keys: ReturnType<typeof keys>
  readonly operators: ReturnType<typeof operators>
  readonly adminTokens: ReturnType<typeof adminTokens>
  readonly auditLog: ReturnType<typeof adminAuditLog>
}

/** @throws TypeError when an option cannot work */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { adminToken, ...connection } = options
  const { api } = connect<AdminPaths>(connection, { name: 'adminToken', value: adminToken })
  return {
    api,
    workspaces: workspaces(api),
    members: members(api),
    sessions: sessions(api),
    portalLinks: portalLinks(api),
    signInLinks: signInLinks(api),
    keys: keys(api),
    operators: operators(api),
    adminTokens: adminTokens(api),
    auditLog: adminAuditLog(api),
  }
}
