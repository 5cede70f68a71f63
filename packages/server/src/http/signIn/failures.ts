/** Why a sign-in failed. The sign-in page of the console has a text for each code. */
export type FailureCode =
  /** The person canceled at the provider. */
  | 'canceled'
  /** It took too long, or began in another browser. */
  | 'expired'
  /** The answer of the provider is not valid. */
  | 'refused'
  | 'provider_down'
  /** This service cannot start a session right now. */
  | 'unavailable'
  | 'no_email'
  | 'unverified_email'
  | 'no_rights'
  | 'busy'

/** A sign-in that failed. The message is for the log. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure'
  readonly code: FailureCode
  /** Address of the person whom the provider signed in; `null`: not known. */
  readonly email: string | null

  constructor(code: FailureCode, message: string, email: string | null = null, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.email = email
  }
}

const MAX_TEXT = 300

/** The parts of an error that may be logged: no tokens, codes or personal claims. */
export function reasonOf(error: unknown): string {
  const parts: string[] = []
  for (let cause = error; cause instanceof Error && parts.length < 4; cause = cause.cause) {
    const { code, error: refusal, error_description: description } = cause as Error & Record<string, unknown>
    const said = [code, refusal, description].filter((text) => typeof text === 'string')
    // A parser quotes what it cannot read, which may be a token.
    const message = cause instanceof SyntaxError ? 'it is not valid JSON' : cause.message
    parts.push([message, ...said].join(' '))
    parts.push(...claimOf(cause.cause))
  }
  return parts.join('; ').slice(0, MAX_TEXT)
}

/** The library names the claim or header that is wrong in an object that also holds the whole token. */
function claimOf(cause: unknown): readonly string[] {
  if (typeof cause !== 'object' || cause === null || cause instanceof Error) return []
  const { claim, attribute, reason } = cause as Record<string, unknown>
  return [claim, attribute, reason].filter((text) => typeof text === 'string')
}
