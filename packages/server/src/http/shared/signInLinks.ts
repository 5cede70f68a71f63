import { MINUTE_MS } from '../../core/duration.ts'
import { OWN_IDS } from '../../core/ownIds.ts'
import type { Context } from './context.ts'
import { newCredential } from './credentials.ts'

/** How long a link for an address works. */
export const SIGN_IN_LINK_MS = 15 * MINUTE_MS

export const newLinkToken = () => newCredential('link')

/**
 * The URL of a link. The token is in the fragment, which browsers do not send: it appears in no access log, and link previews
 * do not use it up.
 */
export const linkUrl = (ctx: Context, page: 'sign-in' | 'portal' | 'embed', token: string) =>
  `${ctx.publicUrl()}/${page}#${token}`

/** Where a link for a person leads: operators work at the address of the administration. @param publicId of the person */
export const signInLinkUrl = (ctx: Context, token: string, publicId: string) =>
  OWN_IDS.operator.parse(publicId) !== null && ctx.adminUrl !== null
    ? `${ctx.adminUrl()}/sign-in#${token}`
    : linkUrl(ctx, 'sign-in', token)
