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
  // With the properties by which the fakes are taken out again.
  globalThis.setTimeout = Object.assign(counting, set)
  globalThis.clearTimeout = Object.assign(clearing, clear)
}

/** @returns how many timers the egress has open. `vi.getTimerCount()` counts what other test files left as well. */
export function timerCount(): number {
  return open.size
}
