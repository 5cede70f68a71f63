import { useEffect, useRef } from 'react'
import { keepSession, readSession } from '../../api/session.ts'

const PATIENCE_MS = 10_000

/**
 * Detects a sign-in in another tab whenever this tab becomes visible.
 * @param waiting whether a link was requested
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
    // Ignores errors until the next check.
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
