import { expect } from 'vitest'
import { newCredential } from '../../src/http/shared/credentials.ts'
import type { ServiceName } from './client.ts'
import {
  addMember,
  addMemberWith,
  addOperator,
  browserOf,
  newAddress,
  OWN_PAGE,
  openBrowser,
  type RoleName,
  signedIn,
  signIn,
} from './people.ts'
import { ADMIN_TOKEN, SCOPES, type TestService, type TestWorkspace } from './service.ts'

/** A bearer token, or a browser's headers; `undefined`: nothing. */
type Credential = string | { readonly headers: Readonly<Record<string, string>> } | undefined

/** All kinds of callers of a workspace, and their credentials. */
export interface Callers {
  readonly credentials: Readonly<Record<CallerName, Credential>>
  /** Another workspace of the same service, and its key. */
  readonly elsewhere: TestWorkspace
}

export const CALLERS = [
  'anonymous',
  'text that is no key',
  'an unknown key',
  'an unknown session',
  'a revoked key',
  'an expired key',
  'a signed-out session',
  'an expired session',
  'the admin token',
  'a wrong admin token',
  'an admin token that was made',
  'a revoked admin token',
  'an expired admin token',
  'an unknown admin token',
  'a key of the other service',
  'a session of the other service',
  'a key of another workspace',
  'a session of another workspace',
  'the creator',
  'another key',
  "an owner's key",
  "an editor's key",
  "a viewer's key",
  'a key without webhooks',
  'a key without generations:read',
  'a key without events:write',
  'an owner',
  'an editor',
  'a viewer',
  'an owner in a browser',
  'a viewer in a browser',
  'a browser of another workspace',
  'an operator in a browser',
  'the admin token in a browser',
  'a browser that was signed out',
] as const
export type CallerName = (typeof CALLERS)[number]

const ROLES: readonly RoleName[] = ['owner', 'editor', 'viewer']
const MINUTE_MS = 60_000

type AdminTokenName = 'an admin token that was made' | 'a revoked admin token' | 'an expired admin token'
const adminTokens = new WeakMap<TestService, Promise<Record<AdminTokenName, string>>>()

/** The same for all workspaces of a service, since only a few may be valid at a time. */
function adminTokensOf(service: TestService): Promise<Record<AdminTokenName, string>> {
  const known = adminTokens.get(service) ?? makeAdminTokens(service)
  adminTokens.set(service, known)
  return known
}

async function makeAdminTokens(service: TestService): Promise<Record<AdminTokenName, string>> {
  const make = async (body: object = {}) => {
    const made = await service.admin('POST', '/admin-tokens', { name: 'a caller', ...body })
    expect(made.status).toBe(201)
    return made.json as { readonly id: string; readonly token: string }
  }
  const revoked = await make()
  await service.admin('DELETE', `/admin-tokens/${revoked.id}`)
  const expires_at = new Date(service.clock.now() + MINUTE_MS / 2).toISOString()
  const expired = await make({ expires_at })
  service.clock.forwardCalendar(MINUTE_MS)
  return {
    'an admin token that was made': (await make()).token,
    'a revoked admin token': revoked.token,
    'an expired admin token': expired.token,
  }
}

/** @param ws a workspace of the service, whose own key is the creator of its resources */
export async function gatherCallers(
  service: TestService,
  name: ServiceName,
  ws: TestWorkspace,
): Promise<Callers> {
  const { id } = ws
  const scopes = SCOPES[name]
  const elsewhere = await service.workspace(name)
  const other = await service.workspace(name === 'content' ? 'ads' : 'content')
  const members = new Map<RoleName, string>()
  for (const role of ROLES) members.set(role, await addMember(service, id, role))
  const owner = members.get('owner')!
  const keyOf = async (body: object) => (await service.key(id, { scopes, ...body })).key
  const roleKey = (role: RoleName) => keyOf({ member_id: members.get(role) })
  const session = async (role: RoleName) => (await signIn(service, id, members.get(role)!)).token
  // Made for an owner, so that only the scope is missing.
  const keyWithout = (scope: string) =>
    keyOf({ scopes: scopes.filter((name) => name !== scope), member_id: owner })

  const revoked = await service.key(id, { scopes, member_id: owner })
  const revocation = await service.admin('DELETE', `/workspaces/${id}/keys/${revoked.id}`)
  const leaver = await signedIn(service, id, 'owner')
  const signOut = await service.admin('DELETE', `/workspaces/${id}/members/${leaver.memberId}/sessions`)
  expect([revocation.status, signOut.status]).toEqual([204, 204])
  const expiresAt = new Date(service.clock.now() + MINUTE_MS / 2).toISOString()
  const expired = await keyOf({ expires_at: expiresAt, member_id: owner })
  const briefly = await signIn(service, id, owner, { minutes: 1 })
  service.clock.forwardCalendar(MINUTE_MS)

  const inBrowser = (cookie: string) => ({
    headers: { ...OWN_PAGE, cookie, 'posthorn-workspace': ws.slug },
  })
  const member = async (workspace: string, role: RoleName) => {
    const email = newAddress()
    await addMemberWith(service, workspace, role, email)
    return inBrowser(await browserOf(service, email))
  }
  const operator = newAddress()
  await addOperator(service, operator)
  const gone = await member(id, 'owner')
  const left = await service.call({ method: 'DELETE', url: '/console/v1/session', ...gone })
  expect(left.status).toBe(204)

  const credentials: Record<CallerName, Credential> = {
    anonymous: undefined,
    'text that is no key': 'nonsense',
    'an unknown key': newCredential('key'),
    'an unknown session': newCredential('session'),
    'a revoked key': revoked.key,
    'an expired key': expired,
    'a signed-out session': leaver.token,
    'an expired session': briefly.token,
    'the admin token': ADMIN_TOKEN,
    'a wrong admin token': `${ADMIN_TOKEN}x`,
    ...(await adminTokensOf(service)),
    'an unknown admin token': newCredential('adminToken'),
    'a key of the other service': other.key,
    'a session of the other service': (await signedIn(service, other.id, 'owner')).token,
    'a key of another workspace': elsewhere.key,
    'a session of another workspace': (await signedIn(service, elsewhere.id, 'owner')).token,
    'the creator': ws.key,
    'another key': await keyOf({}),
    "an owner's key": await roleKey('owner'),
    "an editor's key": await roleKey('editor'),
    "a viewer's key": await roleKey('viewer'),
    'a key without webhooks': await keyWithout('webhooks'),
    'a key without generations:read': await keyWithout('generations:read'),
    'a key without events:write': await keyWithout('events:write'),
    'an owner': await session('owner'),
    'an editor': await session('editor'),
    'a viewer': await session('viewer'),
    'an owner in a browser': await member(id, 'owner'),
    'a viewer in a browser': await member(id, 'viewer'),
    'a browser of another workspace': await member(elsewhere.id, 'owner'),
    'an operator in a browser': inBrowser(await browserOf(service, operator)),
    'the admin token in a browser': inBrowser((await openBrowser(service, ADMIN_TOKEN)).cookie),
    'a browser that was signed out': gone,
  }
  return { credentials, elsewhere }
}
