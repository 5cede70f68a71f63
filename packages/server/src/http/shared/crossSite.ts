import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { urlOf } from './adminListener.ts'
import type { Context } from './context.ts'
import { Problem } from './problems.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

export const isSafe = ({ method }: FastifyRequest) => SAFE_METHODS.includes(method)

/**
 * Whether a browser says that a page of this service made the request; `null`: it says nothing. Every browser of today says
 * so in `Sec-Fetch-Site`; older ones name the page's origin.
 */
function isOwnPage(ctx: Context, request: FastifyRequest): boolean | null {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return site === 'same-origin'
  if (origin === undefined) return null
  const own = new URL(urlOf(ctx, request))
  // On plain HTTP the service may be reached by several names; a page of the requested name is its own.
  return origin === own.origin || (own.protocol === 'http:' && origin === `http://${request.host}`)
}

/** The refusal of what a cookie must not do for another site's page: to change anything. */
export function refuseCrossSite(ctx: Context, request: FastifyRequest): Problem | null {
  return isSafe(request) || isOwnPage(ctx, request) === true ? null : crossSite()
}

/**
 * For routes that begin a session: pages of other sites may not sign their visitors in here. Programs other than browsers may.
 */
export const noOtherSite = (ctx: Context): onRequestHookHandler => {
  return (request, _reply, done) => {
    if (isOwnPage(ctx, request) === false) return done(crossSite())
    done()
  }
}

const crossSite = () =>
  new Problem('cross_site', 'With a session cookie, only pages of this service can do this.')
