import { vi } from 'vitest'

/** Of the modules whose timers are counted. */
const EGRESS = /\/src\/engine\/egress\//

const open = new Set<unknown>()

/** Fakes setTimeout until `vi.useRealTimers()`. */
export function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  open.clear()
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const counting = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = set(() => {
      open.delete(timer)
      callback(...args)
    }, ms)
    if (EGRESS.test(new Error().stack ?? '')) open.add(timer)
    return timer
  }
  const clearing = (timer?: NodeJS.Timeout | string | number) => {
    open.delete(timer)
    clear(timer)
  }
  // With the properties that remove the fakes.
  globalThis.setTimeout = Object.assign(counting, set)
  globalThis.clearTimeout = Object.assign(clearing, clear)
}

/** @returns the number of open egress timers. `vi.getTimerCount()` also counts those of other test files. */
export function timerCount(): number {
  return open.size
}
