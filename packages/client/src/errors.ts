import type { components } from './generated/content.ts'
import type { ProblemCode } from './generated/problemCodes.ts'

/**
 * Stands for every code that this version of the library does not list. At run time it is the plain code. Assign it to a
 * `string` to compare it: `const code: string = error.code`.
 */
export type UnlistedErrorCode = `unlisted ${string}`

/** `unexpected_response`: what answered is not Posthorn, such as a proxy in front of it. */
export type PosthornErrorCode = ProblemCode | 'unexpected_response' | UnlistedErrorCode

/** One mistake in what was sent: `pointer` is a JSON pointer into the body, or a slash and a query parameter. */
export type InputMistake = NonNullable<components['schemas']['Problem']['errors']>[number]

interface ErrorFacts {
  readonly status: number
  readonly code: PosthornErrorCode
  readonly detail: string
  readonly errors: readonly InputMistake[]
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

/** The service answered, and refused. Branch on `code`: it is never renamed. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError'
  /** The HTTP status. */
  readonly status: number
  readonly code: PosthornErrorCode
  /** What is wrong this time, for people; may be reworded. */
  readonly detail: string
  /** Every mistake in the input; empty when it is not about the input. */
  readonly errors: readonly InputMistake[]
  /** Quote it to the operator. `null` when Posthorn did not answer. */
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

/** No answer came: the service could not be reached, or the connection broke. `cause` is what `fetch` said. */
export class PosthornConnectionError extends Error {
  override readonly name = 'PosthornConnectionError'
}

/** No whole answer came in time. Whether the request was carried out is not known. */
export class PosthornTimeoutError extends Error {
  override readonly name = 'PosthornTimeoutError'
  readonly timeoutMs: number

  constructor(message: string, timeoutMs: number) {
    super(message)
    this.timeoutMs = timeoutMs
  }
}
