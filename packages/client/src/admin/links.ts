import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/admin.ts'
import { bodyFor, type PostOptions, requestInit } from '../resources/operations.ts'
import type { AdminApi, PortalLink, PortalLinkToCreate, SignInLink, SignInLinkToCreate } from './types.ts'

/** Links that take members from a product to their webhooks in the console. */
export function portalLinks(api: AdminApi) {
  return {
    /** Each URL works once: `url` in a window of its own, `embed_url` in a frame. */
    create(
      ws: string,
      memberId: string,
      link: PortalLinkToCreate = {},
      options: PostOptions = {},
    ): Promise<PortalLink> {
      const params = { path: { ws, id: memberId } }
      const body = bodyFor<operations['createPortalLink']>(link)
      return unwrap(
        api.POST('/admin/v1/workspaces/{ws}/members/{id}/portal-links', {
          params,
          body,
          ...requestInit(options),
        }),
      )
    },
  }
}

/** Links that sign people in to the console, for people who get no e-mail. */
export function signInLinks(api: AdminApi) {
  return {
    /** Works once, for the first person who opens it. */
    create(link: SignInLinkToCreate, options: PostOptions = {}): Promise<SignInLink> {
      const body = bodyFor<operations['createSignInLink']>(link)
      return unwrap(api.POST('/admin/v1/sign-in-links', { body, ...requestInit(options) }))
    },
  }
}
