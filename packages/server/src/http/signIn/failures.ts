/** Why somebody is not signed in, in the words of the console's sign-in page. */
export type FailureCode =
  /** The person did not go on at the provider. */
  | 'canceled'
  /** It took too long, or began in another browser. */
  | 'expired'
  /** What came from the provider does not hold. */
  | 'refused'
  | 'provider_down'
  /** This service cannot start a session right now. */
  | 'unavailable'
  | 'no_email'
  | 'unverified_email'
  | 'no_rights'
  | 'busy'

/** Somebody is not signed in. The message is for the log. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure'
  readonly code: FailureCode
  /** Of whom the provider has signed in, where that is known. */
  readonly email: string | null

  constructor(code: FailureCode, message: string, email: string | null = null, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.email = email
  }
}

const MAX_TEXT = 300

/** What of an error may stand in the log: no token, code or claim of a person does. */
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

/** The library says which claim or header does not hold in an object that holds the whole token as well. */
function claimOf(cause: unknown): readonly string[] {
  if (typeof cause !== 'object' || cause === null || cause instanceof Error) return []
  const { claim, attribute, reason } = cause as Record<string, unknown>
  return [claim, attribute, reason].filter((text) => typeof text === 'string')
}
