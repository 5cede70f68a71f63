import { useEffect, useRef } from 'react'
import { keepSession, readSession } from '../../api/session.ts'

const PATIENCE_MS = 10_000

/**
 * Whether somebody has signed in in another tab, where their link opened: looked for whenever this one is seen again.
 * @param waiting whether a link is on its way
 */
export function useSignedInElsewhere(waiting: boolean, onSignedIn: () => void): void {
  const latest = useRef(onSignedIn)
  latest.current = onSignedIn
  useEffect(() => {
    if (!waiting) return
    let left = false
    const look = async () => {
      const session = await readSession(AbortSignal.timeout(PATIENCE_MS))
      if (session === null || left) return
      await keepSession(session)
      if (!left) latest.current()
    }
    // Without an answer the page stays as it is, and looks the next time.
    const quietly = () => {
      if (document.visibilityState === 'visible') void look().catch(() => undefined)
    }
    document.addEventListener('visibilitychange', quietly)
    window.addEventListener('focus', quietly)
    return () => {
      left = true
      document.removeEventListener('visibilitychange', quietly)
      window.removeEventListener('focus', quietly)
    }
  }, [waiting])
}
