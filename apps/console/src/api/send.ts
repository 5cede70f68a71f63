import { bearerToken, isEmbedded } from './credential.ts'
import { OfflineError, ProblemError } from './problem.ts'
import { fetchTimed } from './serverNow.ts'

type Listener = () => void
const endedListeners = new Set<Listener>()

/** Calls `listener` whenever an answer shows that the session has ended. @returns stops it */
export function onSessionEnded(listener: Listener): () => void {
  endedListeners.add(listener)
  return () => endedListeners.delete(listener)
}

/** Tells all who listen that the session has ended. */
export function announceSessionEnded(): void {
  for (const listener of endedListeners) listener()
}

/** What the low-level clients send with: adds the session, tells when it has ended. */
export async function send(request: Request): Promise<Response> {
  const headers = new Headers(request.headers)
  const token = bearerToken()
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  const credentials = isEmbedded ? 'omit' : 'same-origin'
  let response: Response
  try {
    response = await fetchTimed(new Request(request, { headers, credentials }))
  } catch (cause) {
    if (request.signal.aborted) throw cause
    throw new OfflineError('The service does not answer. It may be restarting, or your connection is down.', {
      cause,
    })
  }
  const isSignIn = new URL(request.url).pathname === '/console/v1/session'
  if (response.status === 401 && !isSignIn) announceSessionEnded()
  return response
}

interface Result<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** The plain answer of a low-level call. @throws ProblemError when the service refused, OfflineError when no answer came */
export async function unwrap<Data>(result: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await result
  if (!response.ok) throw new ProblemError(response, error)
  // Typed as optional only because refusals have none.
  return data as Data
}
