import { PosthornConnectionError, PosthornTimeoutError } from '../errors.ts'
import { isProblem } from './answer.ts'
import { attempt, type RepeatableRequest } from './attempt.ts'
import { isPassing, isRepeatable, PASSING_CONFLICT, retryAfterSeconds, retryWaitMs } from './retry.ts'
import type { Settings } from './settings.ts'

/** Sends requests, with a timeout for each attempt and with retries. */
export function createTransport(settings: Settings): (request: Request) => Promise<Response> {
  const { retries, sleep, random } = settings
  return async (request) => {
    const repeatable = await makeRepeatable(request)
    for (let earlier = 0; ; earlier++) {
      const outcome = await outcomeOf(attempt(repeatable, settings))
      const mayRepeat =
        earlier < retries && isRepeatable(repeatable.method) && (await isWorthRepeating(outcome))
      const waitMs = mayRepeat
        ? retryWaitMs({ earlier, retryAfterSeconds: askedWait(outcome), random: random() })
        : null
      if (waitMs === null) return answerOrThrow(outcome)
      await sleep(waitMs, repeatable.signal)
    }
  }
}

async function makeRepeatable(request: Request): Promise<RepeatableRequest> {
  const { url, method, signal } = request
  const headers = new Headers(request.headers)
  const text = method === 'GET' || method === 'HEAD' ? '' : await request.text()
  // The same for all attempts, so that the service recognizes a retry as the same request.
  if (method === 'POST' && !headers.has('idempotency-key')) {
    headers.set('idempotency-key', globalThis.crypto.randomUUID())
  }
  return { url, method, headers, body: text === '' ? null : text, signal }
}

type Outcome =
  | { readonly response: Response }
  | { readonly failure: PosthornConnectionError | PosthornTimeoutError }

async function outcomeOf(answer: Promise<Response>): Promise<Outcome> {
  try {
    return { response: await answer }
  } catch (failure) {
    if (failure instanceof PosthornConnectionError || failure instanceof PosthornTimeoutError)
      return { failure }
    throw failure
  }
}

function answerOrThrow(outcome: Outcome): Response {
  if ('failure' in outcome) throw outcome.failure
  return outcome.response
}

const askedWait = (outcome: Outcome) =>
  'response' in outcome ? retryAfterSeconds(outcome.response.headers, Date.now()) : null

async function isWorthRepeating(outcome: Outcome): Promise<boolean> {
  if ('failure' in outcome) return true
  const { response } = outcome
  if (response.status !== 409) return isPassing(response.status)
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return isProblem(body) && body.code === PASSING_CONFLICT
}
