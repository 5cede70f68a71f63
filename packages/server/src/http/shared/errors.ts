import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { StoppingError } from '../../engine/engine.ts'
import type { Logger } from '../../engine/log/logger.ts'
import { QuotaExceededError } from '../../engine/manage/changeQuota.ts'
import { IdempotencyKeyReusedError, StoreUnavailableError } from '../../storage/storage.ts'
import { type InputError, toInputError } from '../../validation/inputErrors.ts'
import { setCommonHeaders } from './commonHeaders.ts'
import {
  invalidRequest,
  PROBLEM_HEADERS,
  PROBLEMS,
  Problem,
  type ProblemCode,
  problemDocument,
} from './problems.ts'
import { quotaProblem } from './quotas.ts'
import { RateLimitedLogger } from './rateLimitedLogger.ts'

/** How long a caller should wait when the service cannot take work now, in seconds. */
const RETRY_AFTER_SECONDS = '5'

/** What Fastify's own refusals are in the words of this API. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The request body is too large for this route.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The request body must be sent with Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_request',
    'The length of the request body differs from its Content-Length.',
  ],
  FST_ERR_BAD_URL: ['malformed_request', 'The path of the URL has invalid percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is nothing at this path: an identifier in it is too long.'],
}

interface FrameworkError extends Error {
  readonly code?: string
  readonly statusCode?: number
  readonly validation?: readonly FastifySchemaValidationError[]
  readonly validationContext?: string
}

/** Errors of a schema as the API shows them. */
export function inputErrorsOf(validation: readonly FastifySchemaValidationError[]): InputError[] {
  // Fastify declares a narrower type than Ajv's, which it hands through unchanged.
  return validation.map((error) => toInputError(error as Parameters<typeof toInputError>[0], ''))
}

/** Turns anything that was thrown into an API error. Unexpected errors become a 500 without details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const retry = { headers: { 'retry-after': RETRY_AFTER_SECONDS }, cause: error }
  if (error instanceof StoreUnavailableError) {
    return new Problem('store_unavailable', 'Storage is temporarily unavailable. Retry shortly.', retry)
  }
  if (error instanceof QuotaExceededError) return quotaProblem(error.exceeded)
  if (error instanceof StoppingError) {
    return new Problem('stopping', 'This node is shutting down. Retry the request.', retry)
  }
  if (error instanceof IdempotencyKeyReusedError) {
    const detail =
      'This Idempotency-Key was already used for another request. Use a new key for each new request.'
    return new Problem('idempotency_key_reused', detail)
  }
  return (
    frameworkProblem(error) ??
    new Problem(
      'internal_error',
      'An internal error occurred. Retry; if it persists, give the request_id to the operator.',
    )
  )
}

function frameworkProblem(thrown: unknown): Problem | null {
  if (!(thrown instanceof Error)) return null
  const error: FrameworkError = thrown
  if (error.validation !== undefined) return validationProblem(error.validation, error.validationContext)
  const known = error.code === undefined ? undefined : FRAMEWORK_PROBLEMS[error.code]
  if (known !== undefined) return new Problem(...known)
  const status = error.statusCode ?? 500
  return status >= 400 && status < 500
    ? new Problem('malformed_request', 'The request could not be read.')
    : null
}

const PARTS: Readonly<Record<string, string>> = { querystring: 'query string', headers: 'request head' }

function validationProblem(
  validation: readonly FastifySchemaValidationError[],
  context: string | undefined,
): Problem {
  return invalidRequest(inputErrorsOf(validation), PARTS[context ?? ''] ?? 'request body')
}

function sendProblem(reply: FastifyReply, problem: Problem, requestId: string): void {
  // Fastify closes the connection after every body that it refuses. While more of it is under way, that resets the
  // connection and the sender never reads why; left open, what still comes is dropped, within the time of a request.
  reply.removeHeader('connection')
  // Of what the route meant to send.
  reply.removeHeader('etag')
  if (problem.headers !== undefined) reply.headers(problem.headers)
  reply
    .code(PROBLEMS[problem.code].status)
    .headers(PROBLEM_HEADERS)
    // Bytes, not text: Fastify adds a charset to text, which this media type does not have.
    .send(Buffer.from(problemDocument(problem, requestId)))
}

/** The one place where errors turn into responses, and where those that are ours are logged. */
export function handleErrors(app: FastifyInstance, logger: Logger, clock: Clock): void {
  const refusals = new RateLimitedLogger(logger, clock, 1, {
    one: 'request rejected temporarily',
    many: 'more requests were rejected temporarily',
  })
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error)
    if (PROBLEMS[problem.code].status >= 500) logServerError({ logger, refusals }, request, problem, error)
    sendProblem(reply, problem, request.id)
  })
}

/** For errors that arise before a request has a route, and so passes no hook. */
export function frameworkErrors(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setCommonHeaders(request, reply)
  sendProblem(reply, problemOf(error), request.id)
}

function logServerError(
  { logger, refusals }: { readonly logger: Logger; readonly refusals: RateLimitedLogger },
  request: FastifyRequest,
  problem: Problem,
  error: unknown,
): void {
  // The route's pattern, not its URL: a URL is the caller's text and may hold anything.
  const fields = {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url,
    code: problem.code,
  }
  if (PROBLEMS[problem.code].status === 500) logger.error({ ...fields, err: error }, 'request failed')
  else refusals.warn(problem.code, { ...fields, reason: reasonOf(error) })
}

/** The cause of a rejection, which the caller does not see. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return error instanceof Problem && cause instanceof Error ? cause.message : message
}
