import { type Query, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { onSessionEnded } from '../api/send.ts'
import {
  isSamePerson,
  keepSession,
  readSession,
  type Session,
  sessionQuery,
  startAfresh,
} from '../api/session.ts'

const SessionEndedDialog = lazy(() => import('./SessionEndedDialog.tsx'))

/** How often to check whether the user has signed in again, in this tab or another. */
const LOOK_EVERY_MS = 3_000
const LOOK_PATIENCE_MS = 10_000

/**
 * Covers the page when the session ends. Unsaved input is kept, and the page continues once the same user has signed in
 * again, in this tab or another.
 */
export function SessionEnded() {
  const queryClient = useQueryClient()
  const [ended, setEnded] = useState(false)
  // The dialog stays mounted once loaded, so that it can return the focus.
  const [ever, setEver] = useState(false)
  const before = useRef<Session | null>(null)

  useEffect(
    () =>
      onSessionEnded(() => {
        const known = queryClient.getQueryData<Session | null>(sessionQuery.queryKey) ?? null
        if (known === null) return
        before.current = known
        setEnded(true)
        setEver(true)
      }),
    [queryClient],
  )

  useEffect(() => {
    if (!ended) return
    const look = async () => {
      const session = await readSession(AbortSignal.timeout(LOOK_PATIENCE_MS))
      if (session === null) return
      if (before.current === null || !isSamePerson(session, before.current)) return startAfresh()
      await keepSession(session)
      setEnded(false)
      await queryClient.invalidateQueries({ predicate: isStale })
    }
    let looking = false
    const quietly = () => {
      if (looking) return
      looking = true
      void look()
        .catch(() => undefined)
        .finally(() => {
          looking = false
        })
    }
    const timer = setInterval(quietly, LOOK_EVERY_MS)
    window.addEventListener('focus', quietly)
    return () => {
      clearInterval(timer)
      window.removeEventListener('focus', quietly)
    }
  }, [ended, queryClient])

  if (!ever) return null
  return (
    <Suspense>
      <SessionEndedDialog opened={ended} />
    </Suspense>
  )
}

/** Excludes searches for deliveries: they take many calls, and the stream delivers changes. */
const isStale = ({ queryKey, state }: Query): boolean =>
  queryKey[0] !== 'deliveries' || state.data === undefined
