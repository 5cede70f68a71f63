import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import type { Described } from './operations.ts'
import { call, done } from './world.ts'

export type Service = 'content' | 'ads'
export type Role = 'owner' | 'editor' | 'viewer'

/** A fresh workspace and its credentials. */
export interface Account {
  readonly service: Service
  readonly ws: string
  readonly slug: string
  /** Of an owner, with every scope. */
  readonly key: string
  readonly ownerId: string
}

export const SCOPES: Readonly<Record<Service, readonly string[]>> = {
  content: ['webhooks', 'generations:read', 'events:write'],
  ads: ['webhooks', 'events:write'],
}

export const admin = { key: ADMIN_TOKEN }
let count = 0

/** A name that is unique in the run. */
export const unique = (prefix: string) => `${prefix}-${++count}`

/** Provisioning works on either service; its tests use a workspace of the first. */
export const serviceOf = ({ document }: Described): Service => (document === 'ads' ? 'ads' : 'content')
export const otherService = (service: Service): Service => (service === 'ads' ? 'content' : 'ads')

export async function openAccount(service: Service): Promise<Account> {
  const slug = unique(service)
  const json = { dialect: service, slug, name: `Workspace ${slug}` }
  const { id: ws } = await done<{ id: string }>('createWorkspace', { ...admin, json })
  const { id: ownerId } = await addMember(ws, 'owner')
  const { key } = await addKey({ ws, service }, { member_id: ownerId })
  return { service, ws, slug, key, ownerId }
}

export const addMember = (ws: string, role: Role) =>
  done<{ id: string }>('createMember', {
    ...admin,
    params: { ws },
    json: { email: `${unique(role)}@example.com`, name: `The ${role}`, role },
  })

/** @param options further members of the request body */
export const addKey = ({ ws, service }: Pick<Account, 'ws' | 'service'>, options: object = {}) =>
  done<{ id: string; key: string }>('createKey', {
    ...admin,
    params: { ws },
    json: { name: unique('key'), scopes: SCOPES[service], ...options },
  })

/** @param options further members of the request body */
export const addAdminToken = (options: object = {}) =>
  done<{ id: string; token: string }>('createAdminToken', {
    ...admin,
    json: { name: unique('admin'), ...options },
  })

/** @returns the token of a session */
export async function signIn(ws: string, memberId: string): Promise<string> {
  const call = { ...admin, params: { ws, id: memberId }, json: {} }
  return (await done<{ token: string }>('createSession', call)).token
}

export const signInAs = async ({ ws }: Account, role: Role) => signIn(ws, (await addMember(ws, role)).id)

/** The token of a link that signs a new viewer in. */
export async function portalToken({ ws }: Pick<Account, 'ws'>): Promise<string> {
  const { id } = await addMember(ws, 'viewer')
  const { url } = await done<{ url: string }>('createPortalLink', { ...admin, params: { ws, id }, json: {} })
  return url.slice(url.indexOf('#') + 1)
}

/** The headers of a signed-in browser on a page of the service. */
export async function browserWith(token: string): Promise<Readonly<Record<string, string>>> {
  const { headers } = await call('signIn', { json: { token } })
  return { ...OWN_PAGE, cookie: headers['set-cookie']!.split(';', 1)[0]! }
}

export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const
