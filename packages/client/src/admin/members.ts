import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/admin.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  AdminApi,
  Member,
  MemberChanges,
  MemberPage,
  MemberQuery,
  MemberToCreate,
  SessionToCreate,
  SessionWithToken,
} from './types.ts'

/** People of a workspace. */
export function members(api: AdminApi) {
  function list(ws: string, query: MemberQuery = {}, options: RequestOptions = {}): Promise<MemberPage> {
    const params = { path: { ws }, query }
    return unwrap(api.GET('/admin/v1/workspaces/{ws}/members', { params, ...requestInit(options) }))
  }

  return {
    create(ws: string, member: MemberToCreate, options: PostOptions = {}): Promise<Member> {
      const params = { path: { ws } }
      const body = bodyFor<operations['createMember']>(member)
      return unwrap(api.POST('/admin/v1/workspaces/{ws}/members', { params, body, ...requestInit(options) }))
    },

    /** One page, newest first. */
    list,

    /** Every member, newest first. */
    iterate(
      ws: string,
      query: MemberQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<Member, void, undefined> {
      return eachListed(query, (part) => list(ws, part, options))
    },

    get(ws: string, id: string, options: RequestOptions = {}): Promise<Member> {
      const params = { path: { ws, id } }
      return unwrap(api.GET('/admin/v1/workspaces/{ws}/members/{id}', { params, ...requestInit(options) }))
    },

    update(ws: string, id: string, changes: MemberChanges, options: RequestOptions = {}): Promise<Member> {
      const params = { path: { ws, id } }
      const body = bodyFor<operations['updateMember']>(changes)
      return unwrap(
        api.PATCH('/admin/v1/workspaces/{ws}/members/{id}', { params, body, ...requestInit(options) }),
      )
    },

    async delete(ws: string, id: string, options: RequestOptions = {}): Promise<void> {
      const params = { path: { ws, id } }
      await unwrap(api.DELETE('/admin/v1/workspaces/{ws}/members/{id}', { params, ...requestInit(options) }))
    },
  }
}

/** Sessions of members, for products that sign their users in. */
export function sessions(api: AdminApi) {
  return {
    /** Use its `token` in place of an API key. It is not shown again. */
    create(
      ws: string,
      memberId: string,
      session: SessionToCreate = {},
      options: PostOptions = {},
    ): Promise<SessionWithToken> {
      const params = { path: { ws, id: memberId } }
      const body = bodyFor<operations['createSession']>(session)
      return unwrap(
        api.POST('/admin/v1/workspaces/{ws}/members/{id}/sessions', {
          params,
          body,
          ...requestInit(options),
        }),
      )
    },

    /** Signs a member out everywhere. */
    async deleteAll(ws: string, memberId: string, options: RequestOptions = {}): Promise<void> {
      const params = { path: { ws, id: memberId } }
      await unwrap(
        api.DELETE('/admin/v1/workspaces/{ws}/members/{id}/sessions', { params, ...requestInit(options) }),
      )
    },
  }
}
