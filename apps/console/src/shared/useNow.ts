import { useSyncExternalStore } from 'react'
import { serverNow } from '../api/serverNow.ts'

/** Shared by all subscribers with the same interval, so that a long list of times needs only one timer. */
interface Clock {
  readonly subscribe: (listener: () => void) => () => void
  readonly read: () => number
}

const clocks = new Map<number, Clock>()

function clockOf(everyMs: number): Clock {
  const known = clocks.get(everyMs)
  if (known !== undefined) return known
  const listeners = new Set<() => void>()
  let now = serverNow()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    if (document.visibilityState !== 'visible') return
    now = serverNow()
    for (const listener of listeners) listener()
  }
  const clock: Clock = {
    read: () => now,
    subscribe: (listener) => {
      if (listeners.size === 0) {
        now = serverNow()
        timer = setInterval(tick, everyMs)
        document.addEventListener('visibilitychange', tick)
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        document.removeEventListener('visibilitychange', tick)
      }
    },
  }
  clocks.set(everyMs, clock)
  return clock
}

/** The service's current time in Unix ms, updated every `everyMs` while the page is visible. */
export function useNow(everyMs: number): number {
  const { subscribe, read } = clockOf(everyMs)
  return useSyncExternalStore(subscribe, read)
}
