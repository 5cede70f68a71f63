import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/console.ts'
import { consoleApi } from './clients.ts'
import { keepBearer } from './credential.ts'
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
  queryFn: async ({ signal, client }) => {
    const session = await readSession(signal)
    const before = client.getQueryData<Session | null>(KEY) ?? null
    if (session !== null || before === null) return session
    // The page stays as it is, with what was typed in it, until whoever it was has signed in again.
    announceSessionEnded()
    return before
  },
})

/** Who is signed in, on pages that are only for those who are. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('this page is shown to those who are signed in')
  return data
}

/** Asks for a link by e-mail. The answer is the same whether anybody has that address. */
export const askForLink = async (email: string): Promise<void> => {
  await unwrap(consoleApi.POST('/console/v1/sign-in-links', { body: { email } }))
}

/** @param token of a link, or the admin token */
export async function signIn(token: string, embedded: boolean): Promise<void> {
  const answer = await unwrap(
    consoleApi.POST('/console/v1/session', { body: embedded ? { token, embedded } : { token } }),
  )
  if (answer.bearer !== undefined && answer.bearer !== null) keepBearer(answer.bearer, token)
  queryClient.setQueryData(sessionQuery.queryKey, await readSession(AbortSignal.timeout(SIGN_IN_PATIENCE_MS)))
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
