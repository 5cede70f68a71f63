import { Type } from 'typebox'
import type { InputError } from '../../validation/inputErrors.ts'

/** Every problem of the API. Codes are stable, since clients branch on them. */
export const PROBLEMS = {
  malformed_request: { status: 400, title: 'Malformed request' },
  malformed_json: { status: 400, title: 'Malformed JSON' },
  credentials_missing: { status: 401, title: 'Credentials missing' },
  key_invalid: { status: 401, title: 'Invalid API key' },
  key_expired: { status: 401, title: 'API key expired' },
  key_revoked: { status: 401, title: 'API key revoked' },
  session_invalid: { status: 401, title: 'Session ended' },
  link_spent: { status: 401, title: 'Link used or expired' },
  admin_token_invalid: { status: 401, title: 'Invalid admin token' },
  admin_token_expired: { status: 401, title: 'Admin token expired' },
  admin_token_revoked: { status: 401, title: 'Admin token revoked' },
  scope_missing: { status: 403, title: 'Scope missing' },
  role_missing: { status: 403, title: 'Insufficient role' },
  operators_only: { status: 403, title: 'Operators only' },
  cross_site: { status: 403, title: 'Cross-site request' },
  members_only: { status: 403, title: 'Members only' },
  not_creator: { status: 403, title: 'Created by someone else' },
  not_found: { status: 404, title: 'Not found' },
  route_not_found: { status: 404, title: 'Route not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  acknowledgement_outdated: { status: 409, title: 'Acknowledgement out of date' },
  admin_token_limit_reached: { status: 409, title: 'Admin token limit reached' },
  consumer_exists: { status: 409, title: 'Consumer already exists' },
  consumer_limit_reached: { status: 409, title: 'Consumer limit reached' },
  delivery_not_dead: { status: 409, title: 'Delivery is not dead' },
  delivery_not_finished: { status: 409, title: 'Delivery is not finished' },
  delivery_not_pending: { status: 409, title: 'Delivery is not pending' },
  signed_in_as_another: { status: 409, title: 'Another person is signed in' },
  wrong_page: { status: 409, title: 'Link does not work on this page' },
  email_taken: { status: 409, title: 'E-mail address already in use' },
  event_id_conflict: { status: 409, title: 'Event id in use' },
  idempotency_key_in_use: { status: 409, title: 'Idempotency key in use' },
  service_exists: { status: 409, title: 'Service already exists' },
  service_in_use: { status: 409, title: 'Service in use' },
  service_limit_reached: { status: 409, title: 'Service limit reached' },
  slug_taken: { status: 409, title: 'Slug already in use' },
  webhook_limit_reached: { status: 409, title: 'Webhook limit reached' },
  webhook_not_on: { status: 409, title: 'Webhook is disabled or paused' },
  version_mismatch: { status: 412, title: 'Changed since you read it' },
  payload_too_large: { status: 413, title: 'Request body too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  invalid_request: { status: 422, title: 'Invalid request' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused for another request' },
  rate_limited: { status: 429, title: 'Too many tests and redeliveries' },
  quota_exceeded: { status: 429, title: 'Quota exceeded' },
  too_many_readers: { status: 429, title: 'Too many readers of consumers' },
  too_many_streams: { status: 429, title: 'Too many streams' },
  too_many_uploads: { status: 429, title: 'Too many request bodies in progress' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  too_many_wrong_credentials: { status: 429, title: 'Too many wrong credentials' },
  too_many_sign_ins: { status: 429, title: 'Too many attempts to sign in' },
  headers_too_large: { status: 431, title: 'Request headers too large' },
  internal_error: { status: 500, title: 'Internal error' },
  method_not_implemented: { status: 501, title: 'Method not implemented' },
  not_ready: { status: 503, title: 'Node is not ready' },
  streams_taken: { status: 503, title: 'Stream limit of the node reached' },
  readers_taken: { status: 503, title: 'Reader limit of the node reached' },
  stopping: { status: 503, title: 'Node is stopping' },
  store_unavailable: { status: 503, title: 'Storage unavailable' },
  uploads_full: { status: 503, title: 'Request body limit of the node reached' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

export type ProblemCode = keyof typeof PROBLEMS

/** Limits the response to a body with thousands of mistakes. */
const MAX_ERRORS = 100

interface ProblemExtras {
  readonly errors?: readonly InputError[]
  readonly headers?: Readonly<Record<string, string>>
  /** Only for the log. */
  readonly cause?: unknown
}

/** Ends a request with a problem document. `message` becomes the `detail`, so it is written for the caller. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly errors: readonly InputError[] | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause })
    this.code = code
    this.errors = extras.errors
    this.headers = extras.headers
  }
}

export const notFound = (what: string) =>
  new Problem('not_found', `There is no such ${what}, or these credentials do not give access to it.`)

/** @param where for example `request body` or `query string` */
export function invalidRequest(errors: readonly InputError[], where = 'request body'): Problem {
  const count = errors.length === 1 ? 'one error' : `${errors.length} errors`
  const shown = errors.length > MAX_ERRORS ? `; the first ${MAX_ERRORS} are listed` : ''
  return new Problem('invalid_request', `The ${where} has ${count}${shown}.`, {
    errors: errors.slice(0, MAX_ERRORS),
  })
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json'

/** Every problem has these. A route may have set another `Cache-Control` for the response that it meant to send. */
export const PROBLEM_HEADERS = {
  'content-type': PROBLEM_CONTENT_TYPE,
  'cache-control': 'no-store',
} as const

/** The problem document itself (RFC 9457). */
export function problemDocument(problem: Problem, requestId: string): string {
  const { status, title } = PROBLEMS[problem.code]
  return JSON.stringify({
    type: `urn:posthorn:problem:${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
  })
}

const ProblemSchema = Type.Object(
  {
    type: Type.String({
      description: 'A URN derived from `code`.',
      examples: ['urn:posthorn:problem:not_found'],
    }),
    title: Type.String({ description: 'The kind of problem, for people.' }),
    status: Type.Integer({ description: 'The HTTP status of the response.' }),
    detail: Type.String({ description: 'What is wrong in this case, for people.' }),
    code: Type.String({ description: 'The kind of problem, for programs. Never renamed.' }),
    request_id: Type.String({
      description: 'The `X-Request-Id` of the response; give it to the operator when you ask for help.',
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description:
              'JSON pointer (RFC 6901) into the body, or a slash and the name of a query parameter.',
          }),
          message: Type.String({ description: 'What is wrong there, and what is allowed.' }),
        }),
        { description: 'Each error in the input, with its place.' },
      ),
    ),
  },
  { title: 'Problem', description: 'A problem document (RFC 9457).' },
)

/** Problems of all routes: a request may be broken before its route is known, and so may the service. */
const ANY_PROBLEMS = [
  'malformed_request',
  'internal_error',
  'store_unavailable',
  'stopping',
] as const satisfies readonly ProblemCode[]

/**
 * Response schemas for the problems of a route, by status.
 *
 * The return type hides them: problems leave through the error handler, so they must not widen what the type
 * provider lets a handler return.
 */
export function problemResponses(...codes: readonly ProblemCode[]): object {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of new Set([...ANY_PROBLEMS, ...codes])) {
    const { status } = PROBLEMS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const responses = [...byStatus].map(([status, statusCodes]) => [
    status,
    {
      description: statusCodes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
      content: { [PROBLEM_CONTENT_TYPE]: { schema: ProblemSchema } },
    },
  ])
  return Object.fromEntries(responses)
}

/** What any route behind a key can answer. */
export const KEY_PROBLEMS = [
  'credentials_missing',
  'key_invalid',
  'key_expired',
  'key_revoked',
  'session_invalid',
  'too_many_wrong_credentials',
  'scope_missing',
  'not_found',
] as const satisfies readonly ProblemCode[]

/** Problems of routes only for signed-in members. */
export const SIGNED_IN_PROBLEMS = [
  'credentials_missing',
  'key_invalid',
  'key_expired',
  'session_invalid',
  'key_revoked',
  'too_many_wrong_credentials',
  'members_only',
] as const satisfies readonly ProblemCode[]

/** What those of them can answer that are about one workspace. */
export const ANY_MEMBER_PROBLEMS = [
  ...SIGNED_IN_PROBLEMS,
  'not_found',
] as const satisfies readonly ProblemCode[]

/** What any route that changes something, or reads a body, can answer besides. */
export const BODY_PROBLEMS = [
  'cross_site',
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_request',
] as const satisfies readonly ProblemCode[]

/** What any POST that creates something can answer. */
export const CREATE_PROBLEMS = [
  ...BODY_PROBLEMS,
  'idempotency_key_in_use',
  'idempotency_key_reused',
] as const satisfies readonly ProblemCode[]

/** What any publish can answer. */
export const PUBLISH_PROBLEMS = [
  ...KEY_PROBLEMS,
  ...CREATE_PROBLEMS,
  'role_missing',
  'event_id_conflict',
  'quota_exceeded',
] as const satisfies readonly ProblemCode[]

/** What any change of a webhook can answer, its deletion among them. */
export const WEBHOOK_CHANGE_PROBLEMS = [
  ...KEY_PROBLEMS,
  ...BODY_PROBLEMS,
  'role_missing',
  'not_creator',
  'version_mismatch',
  'quota_exceeded',
] as const satisfies readonly ProblemCode[]
