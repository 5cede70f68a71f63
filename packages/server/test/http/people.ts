import { expect } from 'vitest'
import type { Call, TestService, TestWorkspace } from './service.ts'

export type RoleName = 'owner' | 'editor' | 'viewer'

export interface SignedIn {
  readonly memberId: string
  readonly sessionId: string
  readonly token: string
}

let people = 0

/** A browser's headers for a page of the service. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const

/** A browser's session for a token: its cookie, and the answer. */
export async function openBrowser(service: TestService, token: string) {
  const url = '/console/v1/session'
  const answer = await service.call({ method: 'POST', url, body: { token }, headers: OWN_PAGE })
  const [set] = [answer.headers['set-cookie'] ?? []].flat() as string[]
  return { answer, set, cookie: set?.split(';', 1)[0] ?? '' }
}

/**
 * A page of the service reads the session, or signs out. @param key a bearer token in addition to the headers
 */
export const session = (
  service: TestService,
  method: Call['method'],
  headers: Call['headers'],
  key?: string,
) => service.call({ method, url: '/console/v1/session', headers: { ...OWN_PAGE, ...headers }, key })

/** Whether a call succeeded, or its error code. */
export const codeOf = ({ status, json }: { status: number; json: { code?: string } | null }) =>
  status < 300 ? 'ok' : `${status} ${json?.code}`

const tokenOf = (url: string) => url.slice(url.indexOf('#') + 1)

/** The token of a link that the operator created. */
export async function signInLink(service: TestService, email: string): Promise<string> {
  const { status, json } = await service.admin('POST', '/sign-in-links', { email })
  expect(status).toBe(201)
  return tokenOf(json.url)
}

export async function portalLink(service: TestService, workspace: string, memberId: string): Promise<string> {
  const url = `/workspaces/${workspace}/members/${memberId}/portal-links`
  const { status, json } = await service.admin('POST', url, {})
  expect(status).toBe(201)
  return tokenOf(json.url)
}

/** The session cookie of an email address. */
export async function browserOf(service: TestService, email: string): Promise<string> {
  const { answer, cookie } = await openBrowser(service, await signInLink(service, email))
  expect(answer.status).toBe(200)
  return cookie
}

/** An unused email address. */
export const newAddress = () => `somebody-${++people}@example.com`

/** A new member of a workspace. @returns the id */
export async function addMemberWith(
  service: TestService,
  workspace: string,
  role: RoleName,
  email: string,
): Promise<string> {
  const body = { email, name: `The ${role}`, role }
  const { status, json } = await service.admin('POST', `/workspaces/${workspace}/members`, body)
  expect(status).toBe(201)
  return json.id
}

/** A new member with an unused email address. */
export async function somebody(service: TestService, { id }: TestWorkspace, role: RoleName = 'owner') {
  const email = newAddress()
  return { email, id: await addMemberWith(service, id, role, email) }
}

/** A new operator. @returns the id */
export async function addOperator(service: TestService, email: string): Promise<string> {
  const { status, json } = await service.admin('POST', '/operators', { email, name: 'Olga' })
  expect(status).toBe(201)
  return json.id
}

export async function addMember(service: TestService, workspace: string, role: RoleName): Promise<string> {
  people += 1
  return addMemberWith(service, workspace, role, `${role}-${people}@example.com`)
}

export async function signIn(service: TestService, workspace: string, memberId: string, body: object = {}) {
  const url = `/workspaces/${workspace}/members/${memberId}/sessions`
  const { status, json } = await service.admin('POST', url, body)
  expect(status).toBe(201)
  return { memberId, sessionId: json.id, token: json.token } satisfies SignedIn
}

/** A new signed-in member of the workspace. */
export async function signedIn(service: TestService, workspace: string, role: RoleName): Promise<SignedIn> {
  return signIn(service, workspace, await addMember(service, workspace, role))
}
