import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/admin.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type { AdminApi, Key, KeyPage, KeyQuery, KeyToCreate, KeyWithSecret } from './types.ts'

/** API keys of a workspace. */
export function keys(api: AdminApi) {
  function list(ws: string, query: KeyQuery = {}, options: RequestOptions = {}): Promise<KeyPage> {
    const params = { path: { ws }, query }
    return unwrap(api.GET('/admin/v1/workspaces/{ws}/keys', { params, ...requestInit(options) }))
  }

  return {
    /** Keep the `key`: it is not shown again. */
    create(ws: string, key: KeyToCreate, options: PostOptions = {}): Promise<KeyWithSecret> {
      const params = { path: { ws } }
      const body = bodyFor<operations['createKey']>(key)
      return unwrap(api.POST('/admin/v1/workspaces/{ws}/keys', { params, body, ...requestInit(options) }))
    },

    /** One page, newest first. */
    list,

    /** Every key, newest first. */
    iterate(
      ws: string,
      query: KeyQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<Key, void, undefined> {
      return eachListed(query, (part) => list(ws, part, options))
    },

    get(ws: string, id: string, options: RequestOptions = {}): Promise<Key> {
      const params = { path: { ws, id } }
      return unwrap(api.GET('/admin/v1/workspaces/{ws}/keys/{id}', { params, ...requestInit(options) }))
    },

    /** It stops working immediately on the node that answers and within 5 seconds on others. */
    async revoke(ws: string, id: string, options: RequestOptions = {}): Promise<void> {
      const params = { path: { ws, id } }
      await unwrap(api.DELETE('/admin/v1/workspaces/{ws}/keys/{id}', { params, ...requestInit(options) }))
    },
  }
}
