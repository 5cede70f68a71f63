import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  readonly withinMs: number
  readonly everyMs?: number
  /** For the error message. */
  readonly what: string
}

/** Repeats a check until the result is not `null`. @throws Error after a timeout */
export async function eventually<T>(
  ask: () => Promise<T | null> | T | null,
  { withinMs, everyMs = 20, what }: Patience,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() >= deadline) throw new Error(`${what}: not within ${withinMs} ms`)
    await sleep(everyMs)
  }
}

/** @throws Error when `promise` has not settled in time */
export async function within<T>(promise: Promise<T>, withinMs: number, what: string): Promise<T> {
  const abort = new AbortController()
  const late = sleep(withinMs, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`${what}: not within ${withinMs} ms`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    abort.abort()
  }
}
