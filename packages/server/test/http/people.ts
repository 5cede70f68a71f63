import { expect } from 'vitest'
import type { TestService } from './service.ts'

export type RoleName = 'owner' | 'editor' | 'viewer'

export interface SignedIn {
  readonly memberId: string
  readonly sessionId: string
  readonly token: string
}

let people = 0

export async function addMember(service: TestService, workspace: string, role: RoleName): Promise<string> {
  people += 1
  const body = { email: `${role}-${people}@example.com`, name: `The ${role}`, role }
  const { status, json } = await service.admin('POST', `/workspaces/${workspace}/members`, body)
  expect(status).toBe(201)
  return json.id
}

export async function signIn(service: TestService, workspace: string, memberId: string, body: object = {}) {
  const url = `/workspaces/${workspace}/members/${memberId}/sessions`
  const { status, json } = await service.admin('POST', url, body)
  expect(status).toBe(201)
  return { memberId, sessionId: json.id, token: json.token } satisfies SignedIn
}

/** A new member of the workspace who is signed in. */
export async function signedIn(service: TestService, workspace: string, role: RoleName): Promise<SignedIn> {
  return signIn(service, workspace, await addMember(service, workspace, role))
}
