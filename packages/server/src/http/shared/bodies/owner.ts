import type { FastifyRequest } from 'fastify'
import { clientOf } from '../throttle/clientRate.ts'
import type { BodyOwner } from './budget.ts'
import { CREDENTIAL_PART, STRANGER_PART, STRANGERS_PART, WORKSPACE_PART } from './limits.ts'

/** Where the admin token or an operator's session was checked before the body is read. */
const OPERATORS_PATH = '/admin/v1/'

/** The owner of the memory for the body of a request. Guards run before bodies are read, so it is known. */
export function bodyOwnerOf(request: FastifyRequest): BodyOwner {
  const { caller } = request
  if (caller !== null && caller.creator !== null) {
    const { type, publicId } = caller.creator
    return {
      name: publicId,
      part: CREDENTIAL_PART,
      group: `workspace ${caller.workspace.id}`,
      groupPart: WORKSPACE_PART,
      who: type === 'key' ? 'This API key' : 'This member',
      groupWho: 'This workspace',
    }
  }
  if (caller !== null || request.operator !== null || request.url.startsWith(OPERATORS_PATH)) return OPERATORS
  const email = emailOf(request)
  if (email !== null) return person(email)
  return {
    name: `client ${clientOf(request.ip)}`,
    part: STRANGER_PART,
    group: 'clients',
    groupPart: STRANGERS_PART,
    who: 'A client that is not signed in',
    groupWho: 'All clients that are not signed in together',
  }
}

const OPERATORS: BodyOwner = {
  name: 'operators',
  part: CREDENTIAL_PART,
  group: 'all operators',
  groupPart: CREDENTIAL_PART,
  who: 'Operators',
  groupWho: 'Operators',
}

/** Of a browser that is signed in by an address, on routes that are of no workspace. */
const emailOf = ({ signedIn }: FastifyRequest): string | null =>
  signedIn?.kind === 'browser' ? (signedIn.session.email ?? 'the admin token') : null

const person = (email: string): BodyOwner => ({
  name: `person ${email}`,
  part: STRANGERS_PART,
  group: 'people',
  groupPart: CREDENTIAL_PART,
  who: 'A signed-in person',
  groupWho: 'All signed-in people together',
})
