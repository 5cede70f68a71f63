import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import type { SignInLink } from '../../storage/rows.ts'
import { isMadeToken, refuseAdminToken } from '../shared/adminTokens.ts'
import { linkSpent, tooManySignIns } from '../shared/authProblems.ts'
import type { SignedIn } from '../shared/caller.ts'
import type { Context, Route } from '../shared/context.ts'
import { credentialKind, hashAdminSession, hashCredential, newCredential } from '../shared/credentials.ts'
import { noOtherSite } from '../shared/crossSite.ts'
import { endFormer, formerSession, refuseAnother } from '../shared/formerSession.ts'
import { BODY_PROBLEMS, invalidRequest, Problem, problemResponses } from '../shared/problems.ts'
import { closed, oneOf } from '../shared/schemas.ts'
import { setSessionCookie } from '../shared/sessionCookie.ts'
import { sessionJson } from './present.ts'
import { NewSessionSchema } from './schemas.ts'

const MEMBER_LIFE_MS = 7 * DAY_MS
const PORTAL_LIFE_MS = 60 * MINUTE_MS
/** The admin token belongs to no person, so its sessions are shorter than a day. */
const ADMIN_TOKEN_LIFE_MS = 12 * HOUR_MS

const FOR_PROGRAMS =
  'Named admin tokens (pht_…) are for programs and cannot sign in. Use a sign-in link (`posthorn login-link`), or the admin token in POSTHORN_ADMIN_TOKEN.'

const PAGES = ['sign-in', 'portal'] as const

const schema = {
  operationId: 'signIn',
  tags: ['Signing in'],
  summary: 'Sign in',
  description:
    'Takes the token of a link, which works once, or the admin token, and sets a session cookie: for 7 days, for 12 hours with the admin token, or for an hour with a portal link. The session of a replaced cookie ends. A portal link keeps an existing session of the same address that lasts at least as long.',
  security: [],
  body: closed({
    token: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The part of a link after the `#`, or the admin token.',
    }),
    embedded: Type.Optional(
      Type.Boolean({
        description:
          'True inside a page of another product, where browsers do not keep cookies. The session of a portal link is then returned as a bearer token.',
      }),
    ),
    page: Type.Optional(
      oneOf(
        PAGES,
        'The page that was opened with the link. A link for the other page is rejected, and stays valid.',
      ),
    ),
    replace: Type.Optional(
      Type.Boolean({
        description:
          'Must be true to end the session of another person in the same browser. Otherwise the link is rejected, and stays valid.',
      }),
    ),
  }),
  response: {
    200: NewSessionSchema,
    ...problemResponses(
      ...BODY_PROBLEMS,
      'admin_token_invalid',
      'link_spent',
      'wrong_page',
      'signed_in_as_another',
      'too_many_sign_ins',
    ),
  },
}

export const createSession: Route = (app, ctx) => {
  app.post('/console/v1/session', { schema, onRequest: noOtherSite(ctx) }, async (request, reply) => {
    return signIn(ctx, { request, reply }, request.body)
  })
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

interface Given {
  readonly token: string
  readonly embedded?: boolean
  readonly page?: (typeof PAGES)[number]
  readonly replace?: boolean
}

async function signIn(ctx: Context, exchange: Exchange, given: Given) {
  const { request } = exchange
  const { embedded = false, replace = false } = given
  const former = embedded ? null : await formerSession(ctx, request)
  const session = await newSession(ctx, exchange, given, replace ? null : former)
  if (!session.former) await endFormer(ctx, request.id, former)
  return session.json
}

interface NewSession {
  readonly json: Static<typeof NewSessionSchema>
  /** Whether it is the existing session, which continues. */
  readonly former: boolean
}

/** @param other whose session must not be replaced unless it is the same person's */
async function newSession(
  ctx: Context,
  exchange: Exchange,
  given: Given,
  other: SignedIn | null,
): Promise<NewSession> {
  const { token, embedded = false, page } = given
  const attempt = { text: token, request: exchange.request, tooMany: tooManySignIns }
  if (credentialKind(token, ['link']) === null) {
    const detail = isMadeToken(token)
      ? FOR_PROGRAMS
      : 'The token is not valid. Check that you copied the whole link, or the whole admin token.'
    const refusal = refuseAdminToken(ctx, { ...attempt, kind: 'admin_token' }, detail)
    if (refusal !== undefined) throw refusal
    if (embedded) throw notEmbedded()
    return { json: await signInWithAdminToken(ctx, exchange), former: false }
  }
  const linkHash = hashCredential(token)
  const link = { ...attempt, kind: 'link' } as const
  const find = () => ctx.storage.signIns.findSignInLink({ hash: linkHash })
  const found = await ctx.authentications.lookUp(link, find, linkSpent)
  if (found instanceof Problem) throw found
  const email = found.link.email ?? found.member?.email
  if (email === undefined || isSpent(ctx, found.link)) throw ctx.authentications.outdated(link, linkSpent())
  const isPortal = found.link.kind === 'portal'
  if (embedded && !isPortal) throw notEmbedded()
  if (page !== undefined && (page === 'portal') !== isPortal) throw wrongPage(isPortal)
  refuseAnother(other, email)
  return isPortal
    ? signInToPortal(ctx, exchange, linkHash, found, { embedded, other })
    : { json: await signInByEmail(ctx, exchange, linkHash), former: false }
}

const isSpent = (ctx: Context, { usedAt, expiresAt }: SignInLink) =>
  usedAt !== null || expiresAt <= ctx.clock.now()

async function signInWithAdminToken(ctx: Context, { request, reply }: Exchange) {
  const token = newCredential('admin')
  const now = ctx.clock.now()
  const session = await ctx.storage.signIns.createBrowserSession({
    publicId: ctx.engine.ids.createOwn('browserSession'),
    hash: hashAdminSession(token, ctx.adminToken),
    expiresAt: now + ADMIN_TOKEN_LIFE_MS,
    now,
  })
  const signedIn: SignedIn = { kind: 'browser', session, operator: null, memberships: [] }
  ctx.logger.info(
    { request_id: request.id, ip: request.ip, session: session.publicId },
    'admin token signed in',
  )
  setSessionCookie(ctx, reply, token, ADMIN_TOKEN_LIFE_MS)
  return sessionJson(ctx, signedIn)
}

async function signInByEmail(ctx: Context, { request, reply }: Exchange, linkHash: Uint8Array) {
  const token = newCredential('browser')
  const now = ctx.clock.now()
  const session = {
    publicId: ctx.engine.ids.createOwn('browserSession'),
    hash: hashCredential(token),
    expiresAt: now + MEMBER_LIFE_MS,
  }
  const made = await ctx.storage.signIns.signIn({ linkHash, session, now, requestId: request.id })
  const found =
    made === null ? null : await ctx.storage.credentials.findBrowserSession({ hash: session.hash })
  if (found === null) throw linkSpent()
  setSessionCookie(ctx, reply, token, MEMBER_LIFE_MS)
  return sessionJson(ctx, { kind: 'browser', ...found })
}

type Found = NonNullable<Awaited<ReturnType<Context['storage']['signIns']['findSignInLink']>>>

async function signInToPortal(
  ctx: Context,
  { request, reply }: Exchange,
  linkHash: Uint8Array,
  { member, workspace }: Found,
  { embedded, other }: { readonly embedded: boolean; readonly other: SignedIn | null },
): Promise<NewSession> {
  if (member === null || workspace === null) throw linkSpent()
  const token = newCredential('session')
  const now = ctx.clock.now()
  const leadsTo = { workspace: workspace.publicId }
  // A session of the whole address has more rights than one of this member.
  if (other?.kind === 'browser') {
    const goingOn = { sessionId: other.session.id, until: now + PORTAL_LIFE_MS }
    if (await ctx.storage.signIns.usePortalLinkIn({ linkHash, ...goingOn, now, requestId: request.id }))
      return { json: { ...sessionJson(ctx, other), ...leadsTo }, former: true }
  }
  const session = await ctx.storage.signIns.signInToPortal({
    linkHash,
    session: {
      publicId: ctx.engine.ids.create(workspace.dialect, 'session'),
      hash: hashCredential(token),
      expiresAt: now + PORTAL_LIFE_MS,
    },
    now,
    requestId: request.id,
  })
  if (session === null) throw linkSpent()
  const signedIn: SignedIn = { kind: 'session', session, member, workspace }
  const json = { ...sessionJson(ctx, signedIn), ...leadsTo }
  if (embedded) return { json: { ...json, bearer: token }, former: false }
  setSessionCookie(ctx, reply, token, PORTAL_LIFE_MS)
  return { json, former: false }
}

const wrongPage = (isPortal: boolean) =>
  new Problem(
    'wrong_page',
    isPortal
      ? 'This link comes from a product and does not work on the sign-in page. Open it from the product again.'
      : 'This is a sign-in link. It does not work on the page for links from a product.',
  )

const notEmbedded = () =>
  invalidRequest([{ pointer: '/embedded', message: 'must be false, except with the token of a portal link' }])
