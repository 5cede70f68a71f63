import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/admin.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  AdminApi,
  AdminToken,
  AdminTokenPage,
  AdminTokenQuery,
  AdminTokenToCreate,
  AdminTokenWithSecret,
} from './types.ts'

/** Tokens with the rights of `POSTHORN_ADMIN_TOKEN` on this API, until they are revoked or expire. */
export function adminTokens(api: AdminApi) {
  function list(query: AdminTokenQuery = {}, options: RequestOptions = {}): Promise<AdminTokenPage> {
    return unwrap(api.GET('/admin/v1/admin-tokens', { params: { query }, ...requestInit(options) }))
  }

  return {
    /** Keep the token: it is not shown again. */
    create(token: AdminTokenToCreate, options: PostOptions = {}): Promise<AdminTokenWithSecret> {
      const body = bodyFor<operations['createAdminToken']>(token)
      return unwrap(api.POST('/admin/v1/admin-tokens', { body, ...requestInit(options) }))
    },

    /** One page, newest first, including revoked and expired tokens. */
    list,

    /** Every token, newest first. */
    iterate(
      query: AdminTokenQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<AdminToken, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },

    /** It stops working immediately on the node that answers and within 5 seconds on others. */
    async revoke(id: string, options: RequestOptions = {}): Promise<void> {
      const params = { path: { id } }
      await unwrap(api.DELETE('/admin/v1/admin-tokens/{id}', { params, ...requestInit(options) }))
    },
  }
}
