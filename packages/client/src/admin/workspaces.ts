import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/admin.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  AdminApi,
  AdminAuditEntry,
  AdminAuditPage,
  AdminAuditQuery,
  Workspace,
  WorkspacePage,
  WorkspaceQuery,
  WorkspaceToCreate,
} from './types.ts'

export function workspaces(api: AdminApi) {
  function list(query: WorkspaceQuery = {}, options: RequestOptions = {}): Promise<WorkspacePage> {
    return unwrap(api.GET('/admin/v1/workspaces', { params: { query }, ...requestInit(options) }))
  }

  return {
    create(workspace: WorkspaceToCreate, options: PostOptions = {}): Promise<Workspace> {
      const body = bodyFor<operations['createWorkspace']>(workspace)
      return unwrap(api.POST('/admin/v1/workspaces', { body, ...requestInit(options) }))
    },

    /** One page, newest first. */
    list,

    /** Every workspace, newest first. */
    iterate(
      query: WorkspaceQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<Workspace, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },

    get(ws: string, options: RequestOptions = {}): Promise<Workspace> {
      const params = { path: { ws } }
      return unwrap(api.GET('/admin/v1/workspaces/{ws}', { params, ...requestInit(options) }))
    },

    async delete(ws: string, options: RequestOptions = {}): Promise<void> {
      const params = { path: { ws } }
      await unwrap(api.DELETE('/admin/v1/workspaces/{ws}', { params, ...requestInit(options) }))
    },

    /** Pauses all of its webhooks. Pending deliveries wait until it is resumed. */
    suspend(ws: string, options: PostOptions = {}): Promise<Workspace> {
      const params = { path: { ws } }
      return unwrap(api.POST('/admin/v1/workspaces/{ws}/suspend', { params, ...requestInit(options) }))
    },

    resume(ws: string, options: PostOptions = {}): Promise<Workspace> {
      const params = { path: { ws } }
      return unwrap(api.POST('/admin/v1/workspaces/{ws}/resume', { params, ...requestInit(options) }))
    },
  }
}

/** Who changed what, in all workspaces. */
export function adminAuditLog(api: AdminApi) {
  function list(query: AdminAuditQuery = {}, options: RequestOptions = {}): Promise<AdminAuditPage> {
    return unwrap(api.GET('/admin/v1/audit-log', { params: { query }, ...requestInit(options) }))
  }

  return {
    /** One page, newest first. */
    list,

    /** Every entry, newest first. */
    iterate(
      query: AdminAuditQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<AdminAuditEntry, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },
  }
}
