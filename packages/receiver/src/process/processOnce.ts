import { ensureSetup } from '../core/errors.ts'
import type { Handle } from '../handlers/answer.ts'
import type { ClaimedEvent, ClaimResult, ProcessedStore } from './store.ts'

export interface ProcessOptions {
  /** Shared by all processes that receive for the handler. */
  readonly store: ProcessedStore
  /** Names the handler: two handlers with the same store, each of which must see all events, need two names. */
  readonly name: string
  /**
   * How long a request waits while another one handles its event or entity, before it is answered with 503. Default: 5, and
   * less than the sender waits for an answer.
   */
  readonly waitSeconds?: number | undefined
  /** After a crash, how long it takes until another copy of the event may be handled. Default: 60 seconds. */
  readonly leaseSeconds?: number | undefined
  /** How long it is remembered what was handled. Default: 30 days, for which senders can redeliver. */
  readonly keepDays?: number | undefined
  /** Is given errors of the store that come too late to change the answer. Default: they are written with `console.error`. */
  readonly onStoreError?: ((error: unknown) => void) | undefined
}

/** Another copy of the event, or another event of its entity, is still being handled. Handlers answer it with 503. */
export class EventBusyError extends Error {
  override readonly name = 'EventBusyError'
  /** When the sender should try again. */
  readonly retryAfterSeconds = 5
}

const DAY_MS = 86_400_000
const FIRST_POLL_MS = 20
const LAST_POLL_MS = 250

/**
 * @param eventOf what to claim; `null`: the event is handled without a claim
 * @returns a function that calls `handle` for events that have no claim yet
 */
export function processOnce<Verified, Context extends readonly unknown[]>(
  options: ProcessOptions,
  eventOf: (verified: Verified) => ClaimedEvent | null,
  handle: Handle<Verified, Context>,
): (verified: Verified, ...context: Context) => Promise<void> {
  const { store, name, waitSeconds = 5, leaseSeconds = 60, keepDays = 30, onStoreError = logError } = options
  ensureSetup(
    /^[\w.-]+$/.test(name),
    'option_invalid',
    'name must be letters, digits and the characters . _ and -, such as orders.',
  )
  checkTimes({ waitSeconds, leaseSeconds, keepDays })
  const leaseMs = leaseSeconds * 1000
  return async (verified, ...context) => {
    const event = eventOf(verified)
    if (event === null) {
      await handle(verified, ...context)
      return
    }
    const token = crypto.randomUUID()
    const result = await claimWithin(waitSeconds * 1000, () => store.claim(event, token, leaseMs))
    if (result === 'done') return
    if (result === 'busy') throw new EventBusyError(`${event.key} is being processed by another request.`)
    const stopExtending = extend(() => store.claim(event, token, leaseMs), leaseMs / 3)
    try {
      await handle(verified, ...context)
    } catch (error) {
      stopExtending()
      // The claim expires, if it cannot be given back.
      await settled(() => store.release(event.key, token)).catch(onStoreError)
      throw error
    }
    stopExtending()
    // The event was handled: an error here must not make the sender repeat it.
    await settled(() => store.complete(event, token, keepDays * DAY_MS)).catch(onStoreError)
  }
}

function checkTimes(times: Readonly<Record<string, number>>): void {
  for (const [option, value] of Object.entries(times)) {
    const isTime = Number.isFinite(value) && (value > 0 || (option === 'waitSeconds' && value === 0))
    ensureSetup(isTime, 'option_invalid', `${option} must be a finite number above 0.`)
  }
}

/** Tries until the event is not busy, or the time is up. */
async function claimWithin(waitMs: number, claim: () => Promise<ClaimResult>): Promise<ClaimResult> {
  let pollMs = FIRST_POLL_MS
  const started = performance.now()
  let result = await claim()
  while (result === 'busy' && performance.now() - started + pollMs <= waitMs) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    pollMs = Math.min(pollMs * 2, LAST_POLL_MS)
    result = await claim()
  }
  return result
}

/** So that a handler that takes long does not lose its claim. */
function extend(claim: () => Promise<unknown>, everyMs: number): () => void {
  // The next extension is tried all the same.
  const timer = setInterval(() => settled(claim).catch(() => undefined), everyMs)
  return () => clearInterval(timer)
}

/** A store of the application's own may throw at once. */
const settled = async (call: () => Promise<unknown>): Promise<unknown> => call()

function logError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: without it the error would be lost
  console.error('An event was processed, but the store could not record it:', error)
}
