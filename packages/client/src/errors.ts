import type { components } from './generated/content.ts'
import type { ProblemCode } from './generated/problemCodes.ts'

/**
 * The type of codes that this version of the library does not list. At run time it is the plain code. Assign it to a `string`
 * to compare it: `const code: string = error.code`.
 */
export type UnlistedErrorCode = `unlisted ${string}`

/** `unexpected_response`: the response did not come from Posthorn but, for example, from a proxy in front of it. */
export type PosthornErrorCode = ProblemCode | 'unexpected_response' | UnlistedErrorCode

/** One mistake in the request: `pointer` is a JSON pointer into the body, or a slash and a query parameter. */
export type InputMistake = NonNullable<components['schemas']['Problem']['errors']>[number]

interface ErrorFacts {
  readonly status: number
  readonly code: PosthornErrorCode
  readonly detail: string
  readonly errors: readonly InputMistake[]
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

/** The service rejected the request. Branch on `code`: it is never renamed. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError'
  /** The HTTP status. */
  readonly status: number
  readonly code: PosthornErrorCode
  /** What is wrong in this case, for people; may be reworded. */
  readonly detail: string
  /** Every mistake in the input; empty when the input is not the problem. */
  readonly errors: readonly InputMistake[]
  /** Give it to the operator when you ask for help. `null` when Posthorn did not answer. */
  readonly requestId: string | null
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | null

  constructor(facts: ErrorFacts) {
    super(`${facts.status} ${facts.code}: ${facts.detail}${mistakesText(facts.errors)}`)
    this.status = facts.status
    this.code = facts.code
    this.detail = facts.detail
    this.errors = facts.errors
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}

const MISTAKES_SHOWN = 3

function mistakesText(mistakes: readonly InputMistake[]): string {
  if (mistakes.length === 0) return ''
  const shown = mistakes.slice(0, MISTAKES_SHOWN).map(({ pointer, message }) => `${pointer} ${message}`)
  const others = mistakes.length - shown.length
  return ` ${shown.join('; ')}${others > 0 ? `; and ${others} more` : ''}`
}

/** There was no response: the service could not be reached, or the connection broke. `cause` is the error of `fetch`. */
export class PosthornConnectionError extends Error {
  override readonly name = 'PosthornConnectionError'
}

/** No complete response arrived in time. The request may or may not have been carried out. */
export class PosthornTimeoutError extends Error {
  override readonly name = 'PosthornTimeoutError'
  readonly timeoutMs: number

  constructor(message: string, timeoutMs: number) {
    super(message)
    this.timeoutMs = timeoutMs
  }
}
