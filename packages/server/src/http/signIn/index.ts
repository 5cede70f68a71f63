import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOUR_MS } from '../../core/duration.ts'
import type { Role } from '../../storage/rows.ts'
import { urlOf } from '../shared/adminListener.ts'
import { linkSpent, tooManySignIns } from '../shared/authProblems.ts'
import type { App, Context } from '../shared/context.ts'
import { hashCredential, newCredential } from '../shared/credentials.ts'
import { problemOf } from '../shared/errors.ts'
import { endFormer, formerSession } from '../shared/formerSession.ts'
import { knowsService } from '../shared/knownService.ts'
import type { Problem } from '../shared/problems.ts'
import type { ProviderSettings } from '../shared/providerSettings.ts'
import { RateLimitedLogger } from '../shared/rateLimitedLogger.ts'
import { setSessionCookie } from '../shared/sessionCookie.ts'
import type { Attempt } from '../shared/throttle/authentications.ts'
import { clientOf } from '../shared/throttle/clientRate.ts'
import type { ProviderPerson } from './claims.ts'
import { ExchangeSlots } from './exchangeSlots.ts'
import { SignInFailure } from './failures.ts'
import { nextPath } from './nextPath.ts'
import { IdentityProvider } from './provider.ts'
import { clearState, keepState, readState, type SignInState } from './stateCookie.ts'

const BEGIN = '/sign-in/provider'
const CALLBACK = `${BEGIN}/callback`
/** A person who was removed at the provider loses access within this time. */
const SESSION_LIFE_MS = 12 * HOUR_MS
const FAILURES_IN_FULL = 5

/** Sign-in by the identity provider. A browser opens these routes, and each answer is a redirect. */
export function signInRoutes(app: App, ctx: Context, settings: ProviderSettings): void {
  const provider = new IdentityProvider(settings, ctx.clock)
  const slots = new ExchangeSlots()
  const failures = new RateLimitedLogger(ctx.logger, ctx.clock, FAILURES_IN_FULL, {
    one: 'sign-in by the identity provider failed',
    many: 'more sign-ins by the identity provider failed',
  })
  const unknowns = new RateLimitedLogger(ctx.logger, ctx.clock, FAILURES_IN_FULL, {
    one: 'POSTHORN_OIDC_ROLES names a workspace that does not exist, or a slug that two services use',
    many: 'POSTHORN_OIDC_ROLES names more workspaces that do not exist, or slugs that two services use',
  })
  const unknown = (workspace: string) => unknowns.warn(workspace, { workspace })
  const fail = (reply: FastifyReply, error: unknown, next: string) => {
    const { request } = reply
    const { code, message: reason, email } = asFailure(error)
    failures.warn(code, { request_id: request.id, ip: request.ip, code, reason })
    return reply.redirect(failureUrl(code, email, next), 303)
  }

  app.get(BEGIN, { schema: { hide: true } }, async (request, reply) => {
    const next = nextPath((request.query as { readonly next?: unknown }).next)
    if (isOfOtherSite(request)) return reply.redirect(signInUrl(next), 303)
    try {
      const { url, checks } = await provider.begin(redirectUri(ctx, request))
      keepState(ctx, reply, settings, { ...checks, next, at: ctx.clock.now() })
      return reply.redirect(url.href, 302)
    } catch (error) {
      return fail(reply, error, next)
    }
  })

  app.get(CALLBACK, { schema: { hide: true } }, async (request, reply) => {
    const state = readState(ctx, request, settings)
    // That of another sign-in stays: its tab may not have come back yet.
    if (state === null || state.state === stateOf(request)) clearState(ctx, reply)
    try {
      const answer = answerTo(ctx, request, state)
      const person = await identify(ctx, { provider, slots }, answer)
      await signIn(ctx, reply, person, unknown)
      return reply.redirect(answer.state.next, 303)
    } catch (error) {
      return fail(reply, error, state?.next ?? '/')
    }
  })
}

/** @throws what is not foreseen, as it is */
function asFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error
  const { code } = problemOf(error)
  if (code !== 'store_unavailable' && code !== 'stopping') throw error
  return new SignInFailure('unavailable', code)
}

const redirectUri = (ctx: Context, request: FastifyRequest) => urlOf(ctx, request) + CALLBACK

/** The failure is in the fragment, so that proxies do not log e-mail addresses. */
function failureUrl(code: SignInFailure['code'], email: string | null, next: string): string {
  const failed = new URLSearchParams({ failed: code, ...(email === null ? {} : { as: email }) })
  return `${signInUrl(next)}#${failed}`
}

const signInUrl = (next: string) =>
  next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ to: next })}`

/** Another site must not replace the session of a browser by leading it here: the person has to click on the page to sign in. */
const isOfOtherSite = ({ headers }: FastifyRequest) =>
  ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))

const queryOf = ({ url }: FastifyRequest) => new URL(url, 'http://here.invalid').searchParams
const stateOf = (request: FastifyRequest) => queryOf(request).get('state') ?? ''

/** What the provider answered to a sign-in that this browser began. */
interface ProviderAnswer {
  readonly state: SignInState
  /** The address that the provider led back to. */
  readonly url: URL
  readonly attempt: Attempt
}

/**
 * A wrong state counts as a wrong credential of the client. A right one does not count as a right credential: anyone can begin
 * sign-ins, and those of others would be forgotten.
 * @throws SignInFailure
 */
function answerTo(ctx: Context, request: FastifyRequest, state: SignInState | null): ProviderAnswer {
  const text = stateOf(request)
  const attempt: Attempt = { kind: 'provider', text, request, tooMany: tooManySignIns }
  if (state === null || state.state !== text)
    throw failureOf(ctx.authentications.malformed(attempt, linkSpent), 'expired', whyNoState(state))
  if (ctx.authentications.throttled(attempt) !== null) throw tooManyAttempts()
  const url = new URL(redirectUri(ctx, request))
  url.search = queryOf(request).toString()
  return { state, url, attempt }
}

/**
 * Exchanges the answer for the person. One that is not valid counts as a wrong credential of the client.
 * @throws SignInFailure
 */
async function identify(
  ctx: Context,
  { provider, slots }: { readonly provider: IdentityProvider; readonly slots: ExchangeSlots },
  { url, state, attempt }: ProviderAnswer,
): Promise<ProviderPerson> {
  try {
    return await slots.run(clientOf(attempt.request.ip), () => provider.exchange(url, state))
  } catch (error) {
    if (error instanceof SignInFailure && error.code === 'refused') {
      const counted = ctx.authentications.malformed(attempt, linkSpent)
      throw failureOf(counted, error.code, error.message)
    }
    throw error
  }
}

const tooManyAttempts = () => new SignInFailure('busy', 'too many attempts to sign in from this address')

const failureOf = ({ code }: Problem, otherwise: SignInFailure['code'], reason: string) =>
  code === 'too_many_sign_ins' ? tooManyAttempts() : new SignInFailure(otherwise, reason)

const whyNoState = (state: SignInState | null) =>
  state === null
    ? 'the browser has no cookie of a sign-in that is in progress with this provider'
    : 'the state does not belong to the latest sign-in that this browser started'

/** @throws SignInFailure when the address has no right at all */
async function signIn(
  ctx: Context,
  reply: FastifyReply,
  person: ProviderPerson,
  unknown: (workspace: string) => void,
): Promise<void> {
  const { request } = reply
  const { email, name, operator } = person
  const token = newCredential('browser')
  const now = ctx.clock.now()
  const former = await formerSession(ctx, request)
  const { session, operatorChange } = await ctx.storage.signIns.signInByProvider({
    email,
    name,
    operator: operator ? { publicId: ctx.engine.ids.createOwn('operator') } : null,
    members: await membersOf(ctx, person, unknown),
    session: {
      publicId: ctx.engine.ids.createOwn('browserSession'),
      hash: hashCredential(token),
      expiresAt: now + SESSION_LIFE_MS,
    },
    now,
    requestId: request.id,
  })
  ctx.credentials.forget()
  if (operatorChange !== null) {
    const { change, publicId } = operatorChange
    ctx.logger.info(
      { request_id: request.id, operator: publicId, by: 'provider' },
      change === 'added' ? 'operator added' : 'operator removed',
    )
  }
  if (session === null)
    throw new SignInFailure('no_rights', 'the address is neither a member nor an operator', email)
  setSessionCookie(ctx, reply, token, SESSION_LIFE_MS)
  ctx.logger.info(
    { request_id: request.id, ip: request.ip, session: session.publicId, by: 'provider' },
    'signed in',
  )
  await endFormer(ctx, request.id, former)
}

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, owner: 2 }

interface GivenMember {
  readonly workspacePublicId: string
  /** `null`: this node does not know the service, whose ids it would have to create. Members of before are kept. */
  readonly publicId: string | null
  readonly role: Role
}

/** The workspaces that claims give, each with the highest role. Those that do not exist are left out. */
async function membersOf(
  ctx: Context,
  { grants }: ProviderPerson,
  unknown: (workspace: string) => void,
): Promise<readonly (GivenMember & { readonly workspaceId: number })[]> {
  const members = new Map<number, GivenMember>()
  for (const { workspace: ref, role } of grants) {
    const workspace = await ctx.storage.accounts.getWorkspace({ ref, dialects: null })
    if (workspace === null) {
      unknown(ref)
      continue
    }
    const former = members.get(workspace.id)
    if (former !== undefined && RANKS[former.role] >= RANKS[role]) continue
    const isKnown = await knowsService(ctx, workspace.dialect)
    const publicId = isKnown ? ctx.engine.ids.create(workspace.dialect, 'member') : null
    members.set(workspace.id, { workspacePublicId: workspace.publicId, publicId, role })
  }
  return [...members].map(([workspaceId, member]) => ({ workspaceId, ...member }))
}
