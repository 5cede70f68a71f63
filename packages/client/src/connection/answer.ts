import { PosthornError, type PosthornErrorCode } from '../errors.ts'
import type { components } from '../generated/content.ts'
import { retryAfterSeconds } from './retry.ts'

type Problem = components['schemas']['Problem']

/** The result of a method of the low-level client. */
interface Result<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/**
 * Turns the result of the low-level client, `api`, into the data.
 * @throws PosthornError when the service rejected the request
 */
export async function unwrap<Data>(result: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await result
  if (!response.ok) throw refusal(response, error)
  // Typed as optional only because error responses have none.
  return data as Data
}

/** @param body the parsed JSON or the text of the answer */
function refusal(response: Response, body: unknown): PosthornError {
  const { status, headers } = response
  const retryAfter = retryAfterSeconds(headers, Date.now())
  if (!isProblem(body)) return unexpected(response, typeof body === 'string' ? body : '')
  const { detail, errors = [], request_id: requestId } = body
  // Codes that are not listed are typed as `UnlistedErrorCode`.
  const code = body.code as PosthornErrorCode
  return new PosthornError({ status, code, detail, errors, requestId, retryAfterSeconds: retryAfter })
}

const TEXT_SHOWN_CHARACTERS = 200

/** The error for a response that did not come from Posthorn. */
export function unexpected({ status, headers }: Response, text: string): PosthornError {
  const type = headers.get('content-type') ?? 'no content type'
  const shown = text.trim() === '' ? '' : `: ${text.trim().slice(0, TEXT_SHOWN_CHARACTERS)}`
  return new PosthornError({
    status,
    code: 'unexpected_response',
    detail: `The response is not from Posthorn (${type}${shown}). Check baseUrl`,
    errors: [],
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: retryAfterSeconds(headers, Date.now()),
  })
}

export function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false
  const { code, detail, request_id: requestId } = body as Partial<Problem>
  return [code, detail, requestId].every((member) => typeof member === 'string')
}
