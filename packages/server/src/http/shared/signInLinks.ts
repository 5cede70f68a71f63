import { MINUTE_MS } from '../../core/duration.ts'
import { OWN_IDS } from '../../core/ownIds.ts'
import type { Context } from './context.ts'
import { newCredential } from './credentials.ts'

/** How long a link for an address works. */
export const SIGN_IN_LINK_MS = 15 * MINUTE_MS

export const newLinkToken = () => newCredential('link')

/**
 * Where a link leads. The token is behind a `#`, which browsers send to nobody: it stands in no log, and what fetches links
 * ahead uses none up.
 */
export const linkUrl = (ctx: Context, page: 'sign-in' | 'portal' | 'embed', token: string) =>
  `${ctx.publicUrl()}/${page}#${token}`

/** Where a link for a person leads: operators work at the address of the administration. @param publicId of the person */
export const signInLinkUrl = (ctx: Context, token: string, publicId: string) =>
  OWN_IDS.operator.parse(publicId) !== null && ctx.adminUrl !== null
    ? `${ctx.adminUrl()}/sign-in#${token}`
    : linkUrl(ctx, 'sign-in', token)
