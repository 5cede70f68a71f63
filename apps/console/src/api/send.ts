import { bearerToken, isEmbedded } from './credential.ts'
import { OfflineError, ProblemError } from './problem.ts'
import { fetchTimed } from './serverNow.ts'

type Listener = () => void
const endedListeners = new Set<Listener>()

/** Calls `listener` when a response shows that the session has ended. @returns unsubscribes */
export function onSessionEnded(listener: Listener): () => void {
  endedListeners.add(listener)
  return () => endedListeners.delete(listener)
}

/** Notifies all listeners that the session has ended. */
export function announceSessionEnded(): void {
  for (const listener of endedListeners) listener()
}

/** `fetch` of the API clients: adds the session's credentials, and detects when it has ended. */
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
    throw new OfflineError('The service does not respond. It may be restarting, or you may be offline.', {
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

/** The data of a response. @throws ProblemError when the request was rejected, OfflineError without a response */
export async function unwrap<Data>(result: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await result
  if (!response.ok) throw new ProblemError(response, error)
  // Optional in the type only because rejected requests have none.
  return data as Data
}
