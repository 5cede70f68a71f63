import type { FastifyRequest } from 'fastify'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import type { ApiKey, Member, Workspace } from '../../storage/rows.ts'
import { keysNotMeant, scopeMissing } from './authProblems.ts'
import type { Access, Caller, Rights } from './caller.ts'
import type { Context } from './context.ts'
import type { Identity } from './credentials.ts'
import { isSafe } from './crossSite.ts'
import { knowsService } from './knownService.ts'
import { notFound, Problem } from './problems.ts'
import { type Browser, isOperator, type Judgement, operatorActor } from './shownCredential.ts'
import { SEES_ALL, visibilityOfKey } from './visibility.ts'

/** Authorizes a valid credential if its workspace and rights allow it; sets the request's caller. */
export function authorize(
  ctx: Context,
  access: Access,
  request: FastifyRequest,
  identity: Identity,
): Judgement | Promise<Judgement> {
  if (identity.kind === 'browser') return authorizeBrowser(ctx, access, request, identity)
  const { workspace } = identity
  if (ctx.dialects.has(workspace.dialect)) return authorizeIn(ctx, access, request, identity)
  return knowsService(ctx, workspace.dialect).then((isKnown) =>
    isKnown ? authorizeIn(ctx, access, request, identity) : notServedHere(),
  )
}

const notServedHere = () =>
  new Problem(
    'store_unavailable',
    'This node does not know the service of this workspace yet. Retry shortly.',
    {
      headers: { 'retry-after': '5' },
    },
  )

/** The same, if this node serves the service of the workspace. */
function authorizeIn(
  ctx: Context,
  access: Access,
  request: FastifyRequest,
  identity: Exclude<Identity, Browser>,
): Judgement {
  const { workspace } = identity
  if (identity.kind === 'key') ctx.credentials.noteUse(identity.key.id)
  const ref = wantedWorkspace(request)
  const isTheirs = ref === null || isNamed(workspace, ref)
  // A credential of another dialect gets the same response as one of another workspace.
  if (!isKnown(ctx, access, workspace) || !isTheirs) return notFound('workspace')
  const rights = rightsIn(access, workspace)
  const denial = identity.kind === 'key' ? denyKey(rights, identity.key) : denyMember(rights, identity.member)
  if (denial !== null) return denial
  request.caller = callerFrom(ctx, identity)
  return undefined
}

/** A browser session acts as the member with its address in the workspace. Operators have access of their own. */
function authorizeBrowser(
  ctx: Context,
  access: Access,
  request: FastifyRequest,
  identity: Browser,
): Judgement | Promise<Judgement> {
  const ref = wantedWorkspace(request)
  if (ref === null) {
    return new Problem('not_found', 'Send one of your workspaces in the header "posthorn-workspace".')
  }
  const matches = identity.memberships.filter(
    ({ workspace }) => isKnown(ctx, access, workspace) && isNamed(workspace, ref),
  )
  // A slug that two services use matches none.
  const membership = matches.length === 1 ? matches[0] : matches.find((one) => one.workspace.publicId === ref)
  if (membership !== undefined) {
    if (!ctx.dialects.has(membership.workspace.dialect)) return notServedHere()
    const denial = denyMember(rightsIn(access, membership.workspace), membership.member)
    if (denial !== null) return denial
    request.caller = callerFrom(ctx, { kind: 'session', session: identity.session, ...membership })
    return undefined
  }
  return isOperator(identity) ? authorizeOperator(ctx, access, request, identity, ref) : notFound('workspace')
}

async function authorizeOperator(
  ctx: Context,
  access: Access,
  request: FastifyRequest,
  identity: Browser,
  ref: string,
): Promise<Judgement> {
  const workspace = await ctx.storage.accounts.getWorkspace({ ref, dialects: dialectsOf(ctx, access) })
  if (workspace === null) return notFound('workspace')
  const rule =
    'operators have the rights of a viewer in workspaces. They can also send tests and single deliveries.'
  const { members, operators = false } = rightsIn(access, workspace)
  if (members !== 'all' && !operators) return new Problem('role_missing', `Viewers cannot do this: ${rule}`)
  if (!isSafe(request) && !operators) return new Problem('members_only', `Only members can do this: ${rule}`)
  const actor = operatorActor(identity)
  request.caller = { workspace, creator: null, actor, role: null, member: null, visibility: SEES_ALL }
  return undefined
}

/** The workspace of a relay's request; `null`: there is none of a service that the route knows. */
export async function workspaceAsked(
  ctx: Context,
  access: Access,
  { params, headers }: FastifyRequest,
): Promise<Workspace | null> {
  const { ws } = params as { readonly ws?: string }
  const { 'posthorn-workspace': named } = headers
  // Header values are ASCII, so the relay percent-encodes the name.
  const ref = ws ?? (typeof named === 'string' ? decodeURIComponent(named) : null)
  if (ref === null) return null
  const workspace = await ctx.storage.accounts.getWorkspace({ ref, dialects: dialectsOf(ctx, access) })
  return workspace !== null && ctx.dialects.has(workspace.dialect) ? workspace : null
}

/** The workspace in the path of a request or, with a cookie, in a header; `null`: there is none. */
function wantedWorkspace({ params, headers }: FastifyRequest): string | null {
  const { ws } = params as { readonly ws?: string }
  if (ws !== undefined) return ws
  const { 'posthorn-workspace': named, authorization } = headers
  return authorization === undefined && typeof named === 'string' ? named : null
}

const isNamed = ({ publicId, slug }: Workspace, ref: string) => ref === publicId || ref === slug
const isKnown = ({ dialects }: Context, { layout }: Access, { dialect }: Workspace) =>
  layout === null || dialects.get(dialect)?.profile.paths === layout

/** The services whose workspaces a route knows; `null`: all. */
const dialectsOf = ({ dialects }: Context, { layout }: Access): readonly string[] | null =>
  layout === null
    ? null
    : [...dialects.values()].filter(({ profile }) => profile.paths === layout).map(({ name }) => name)

export const rightsIn = ({ rights }: Access, workspace: Workspace): Rights =>
  typeof rights === 'function' ? rights(workspace) : rights

function denyKey({ scopes, members }: Rights, key: ApiKey): Problem | null {
  if (scopes === null) return keysNotMeant()
  const missing = scopes.filter((scope) => !key.scopes.includes(scope))
  if (missing.length > 0) return scopeMissing(missing, scopes)
  if (members !== 'owners-and-keys' || key.memberRole === 'owner') return null
  return new Problem(
    'role_missing',
    "Only keys that were created for an owner of the workspace can read this. Create one with an owner's id as member_id.",
  )
}

function denyMember({ members }: Rights, member: Member): Problem | null {
  if (members === 'none') return new Problem('role_missing', 'Only API keys can do this, not members.')
  if (members === 'all' || member.role === 'owner') return null
  return new Problem('role_missing', `Only owners of the workspace can do this. Your role is ${member.role}.`)
}

type MemberOrKey =
  | Extract<Identity, { kind: 'key' }>
  | {
      readonly kind: 'session'
      readonly session: { readonly publicId: string }
      readonly member: Member
      readonly workspace: Workspace
    }

/** Who acts with a key, or with a session as a member of one workspace. */
export function callerFrom(ctx: Pick<Context, 'dialects'>, identity: MemberOrKey): Caller {
  const { workspace } = identity
  if (identity.kind === 'key') {
    const { publicId, memberRole } = identity.key
    return {
      workspace,
      creator: { type: 'key', publicId },
      actor: { type: 'key', id: publicId, sessionId: null },
      role: memberRole,
      member: null,
      visibility: visibilityOfKey(dialectOf(ctx.dialects, workspace.dialect), identity.key),
    }
  }
  const { member, session } = identity
  return {
    workspace,
    creator: { type: 'member', publicId: member.publicId },
    actor: { type: 'member', id: member.publicId, sessionId: session.publicId },
    role: member.role,
    member,
    visibility: SEES_ALL,
  }
}
