import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/console.ts'
import { consoleApi } from './clients.ts'
import { dropBearer, EMBED_PATH, isEmbedded, keepBearer } from './credential.ts'
import { isProblem } from './problem.ts'
import { queryClient } from './queries.ts'
import { announceSessionEnded, unwrap } from './send.ts'

const SIGN_IN_PATIENCE_MS = 20_000
/** How often the user, their workspaces and suspensions are checked. */
const LOOK_EVERY_MS = 15_000

export type Session = components['schemas']['Session']
export type Membership = Session['workspaces'][number]

/** The current session; `null`: signed out. */
export async function readSession(signal: AbortSignal): Promise<Session | null> {
  try {
    return await unwrap(consoleApi.GET('/console/v1/session', { signal }))
  } catch (error) {
    if (isProblem(error) && error.status === 401) return null
    throw error
  }
}

const KEY = ['session'] as const

export const sessionQuery = queryOptions({
  queryKey: KEY,
  staleTime: 60_000,
  refetchInterval: LOOK_EVERY_MS,
  // Another tab may have signed in.
  refetchOnWindowFocus: 'always',
  queryFn: async ({ signal, client }) => {
    const session = await readSession(signal)
    // A sign-in in the meantime makes this response stale.
    signal.throwIfAborted()
    const before = client.getQueryData<Session | null>(KEY) ?? null
    if (before === null) return session
    if (session !== null) {
      if (isSamePerson(session, before)) return session
      startAfresh()
      return before
    }
    // The page keeps its unsaved input until the same user has signed in again.
    announceSessionEnded()
    return before
  },
})

export const isSamePerson = (one: Session, other: Session): boolean => one.email === other.email

let startingAfresh = false

/** Whether {@link startAfresh} was called. The page must then not ask about unsaved input, which is another user's. */
export const isStartingAfresh = (): boolean => startingAfresh

/** Reloads the console for another user, so that they do not see the content of the previous one. */
export function startAfresh(): void {
  startingAfresh = true
  window.location.assign(isEmbedded ? EMBED_PATH : '/')
}

/** The session, on pages that require one. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('This page requires a session.')
  return data
}

/**
 * Requests a sign-in link. The response does not reveal whether the address is known.
 * @returns whether the link is sent by e-mail, or written to a file for the operator
 */
export const askForLink = async (email: string): Promise<'email' | 'file'> =>
  (await unwrap(consoleApi.POST('/console/v1/sign-in-links', { body: { email } }))).sent_as

/** Credentials of a sign-in. */
interface Entering {
  /** Of a link, or the admin token. */
  readonly token: string
  /** The page that a link opened. */
  readonly page?: 'sign-in' | 'portal'
  /** The user confirmed that another user is signed out. */
  readonly replace?: boolean
}

/** Signs in outside of a frame. @returns the workspace of a portal link */
export async function signIn(entering: Entering): Promise<string | null> {
  const { workspace } = await unwrap(consoleApi.POST('/console/v1/session', { body: entering }))
  await seeWhoIsIn()
  return workspace ?? null
}

/** Signs in inside a frame. The previous session ends even if the new link is rejected. */
export async function signInEmbedded(token: string): Promise<string | null> {
  const former = dropBearer()
  if (former !== null) endQuietly(former)
  const body = { token, embedded: true }
  const { bearer, workspace } = await unwrap(consoleApi.POST('/console/v1/session', { body }))
  if (bearer !== undefined) keepBearer(bearer, token)
  await seeWhoIsIn()
  return workspace ?? null
}

/** If the request fails, the session expires within an hour. */
function endQuietly(bearer: string): void {
  const headers = { authorization: `Bearer ${bearer}` }
  void consoleApi.DELETE('/console/v1/session', { headers }).catch(() => undefined)
}

/** Stores the session. A read that started earlier must not overwrite it. */
export async function keepSession(session: Session | null): Promise<void> {
  await queryClient.cancelQueries({ queryKey: KEY })
  queryClient.setQueryData(KEY, session)
}

async function seeWhoIsIn(): Promise<void> {
  const before = queryClient.getQueryData<Session | null>(KEY) ?? null
  const session = await readSession(AbortSignal.timeout(SIGN_IN_PATIENCE_MS))
  if (before !== null && (session === null || !isSamePerson(session, before))) queryClient.clear()
  await keepSession(session)
}

/**
 * Ends the session and reloads the console, which clears its memory.
 * @param everywhere ends all sessions of this user, in every browser
 */
export async function signOut(everywhere: boolean): Promise<void> {
  await unwrap(
    everywhere ? consoleApi.DELETE('/console/v1/sessions') : consoleApi.DELETE('/console/v1/session'),
  )
  window.location.assign('/sign-in?left=true')
}
