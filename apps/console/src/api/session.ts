import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/console.ts'
import { consoleApi } from './clients.ts'
import { dropBearer, EMBED_PATH, isEmbedded, keepBearer } from './credential.ts'
import { isProblem } from './problem.ts'
import { queryClient } from './queries.ts'
import { announceSessionEnded, unwrap } from './send.ts'

const SIGN_IN_PATIENCE_MS = 20_000
/** How often to look whether the person is still who they were, in the same workspaces, which may be suspended. */
const LOOK_EVERY_MS = 15_000

export type Session = components['schemas']['Session']
export type Membership = Session['workspaces'][number]

/** Who is signed in; `null`: nobody. */
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
  // Somebody may have signed in in another tab.
  refetchOnWindowFocus: 'always',
  queryFn: async ({ signal, client }) => {
    const session = await readSession(signal)
    // Somebody has signed in meanwhile: what was read is of before.
    signal.throwIfAborted()
    const before = client.getQueryData<Session | null>(KEY) ?? null
    if (before === null) return session
    if (session !== null) {
      if (isSamePerson(session, before)) return session
      startAfresh()
      return before
    }
    // The page stays as it is, with what was typed in it, until whoever it was has signed in again.
    announceSessionEnded()
    return before
  },
})

export const isSamePerson = (one: Session, other: Session): boolean => one.email === other.email

let startingAfresh = false

/** Whether {@link startAfresh} was called: then nothing may hold the page back, least of all a question to somebody else. */
export const isStartingAfresh = (): boolean => startingAfresh

/** Loads the console anew when somebody else is signed in by now: nothing that the page holds is theirs. */
export function startAfresh(): void {
  startingAfresh = true
  window.location.assign(isEmbedded ? EMBED_PATH : '/')
}

/** Who is signed in, on pages that are only for those who are. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('this page is shown to those who are signed in')
  return data
}

/** Asks for a link by e-mail. The answer is the same whether anybody has that address. */
/** @returns whether the link comes by e-mail, or is in a file that the operator has */
export const askForLink = async (email: string): Promise<'email' | 'file'> =>
  (await unwrap(consoleApi.POST('/console/v1/sign-in-links', { body: { email } }))).sent_as

/** How to sign in. */
interface Entering {
  /** Of a link, or the admin token. */
  readonly token: string
  /** The page that a link led to. */
  readonly page?: 'sign-in' | 'portal'
  /** The person knows that somebody else's session ends by it. */
  readonly replace?: boolean
}

/** In a window of its own. @returns the workspace that a portal link leads to */
export async function signIn(entering: Entering): Promise<string | null> {
  const { workspace } = await unwrap(consoleApi.POST('/console/v1/session', { body: entering }))
  await seeWhoIsIn()
  return workspace ?? null
}

/** Inside another page. Whoever the frame was for before is no more in it, whatever becomes of the new link. */
export async function signInEmbedded(token: string): Promise<string | null> {
  const former = dropBearer()
  if (former !== null) endQuietly(former)
  const body = { token, embedded: true }
  const { bearer, workspace } = await unwrap(consoleApi.POST('/console/v1/session', { body }))
  if (bearer !== undefined) keepBearer(bearer, token)
  await seeWhoIsIn()
  return workspace ?? null
}

/** Without an answer it ends by itself within the hour. */
function endQuietly(bearer: string): void {
  const headers = { authorization: `Bearer ${bearer}` }
  void consoleApi.DELETE('/console/v1/session', { headers }).catch(() => undefined)
}

/** Keeps who is signed in. A read that began before is not to overwrite it. */
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
 * Ends the session and loads the console anew, so that nothing that was read stays in memory.
 * @param everywhere ends all sessions of this address, in every browser
 */
export async function signOut(everywhere: boolean): Promise<void> {
  await unwrap(
    everywhere ? consoleApi.DELETE('/console/v1/sessions') : consoleApi.DELETE('/console/v1/session'),
  )
  window.location.assign('/sign-in?left=true')
}
