import type { Surroundings } from '../connection/connect.ts'
import { isPassing, retryWaitMs } from '../connection/retry.ts'
import { PosthornConnectionError, PosthornError, PosthornTimeoutError } from '../errors.ts'
import type { RequestOptions } from './operations.ts'

/** How long a read waits for events, unless the client's own timeout is too short for it. */
const WAIT_SECONDS = 20
/** Of the timeout, left for the answer. */
const ANSWER_SECONDS = 5
/** Events of one page: what is handed out again at most after a crash. */
const PAGE = 20
/** Within a page, what was handled is acknowledged as often. */
const ACKNOWLEDGE_EVERY_MS = 1_000
const OUTDATED = 'acknowledgement_outdated'

export interface ConsumeOptions<Gap> extends RequestOptions {
  /** Events that are read at once, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Called after each failure of the handler or the service, before the retry. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Called when events were removed before they were acknowledged. */
  readonly onGap?: ((gap: Gap) => void | Promise<void>) | undefined
}

interface Page<Event, Gap> {
  readonly events: readonly Event[]
  readonly ack: string | null
  readonly gap: Gap | null
}

interface Source<Event, Gap> {
  readonly read: (
    name: string,
    query: { readonly limit: number; readonly wait: number },
    options: RequestOptions,
  ) => Promise<Page<Event, Gap>>
  readonly acknowledge: (name: string, ack: string, options: RequestOptions) => Promise<unknown>
}

type Asked<Gap> = ConsumeOptions<Gap> & { readonly signal: AbortSignal }

class HandlerError extends Error {}

/** Reads a consumer for as long as it is wanted, and acknowledges what is done. */
export function consuming<Event extends { readonly ack: string }, Gap>(
  { read, acknowledge }: Source<Event, Gap>,
  { sleep, random, timeoutMs }: Surroundings,
) {
  const wait = Math.max(0, Math.min(WAIT_SECONDS, Math.floor(timeoutMs / 1000) - ANSWER_SECONDS))

  /** The events of one page. One is done when the next is asked for. */
  async function* handOut(
    name: string,
    events: readonly Event[],
    signal: AbortSignal,
  ): AsyncGenerator<Event, void, undefined> {
    let done: string | null = null
    let acknowledgedAt = performance.now()
    try {
      for (const event of events) {
        yield event
        done = event.ack
        if (signal.aborted) return
        if (performance.now() - acknowledgedAt < ACKNOWLEDGE_EVERY_MS) continue
        await acknowledge(name, done, {})
        done = null
        acknowledgedAt = performance.now()
      }
    } finally {
      // Also when a later event failed, and when the caller has had enough.
      if (done !== null) await acknowledge(name, done, {})
    }
  }

  /** Events until something fails. */
  async function* untilFailure(
    name: string,
    { signal, limit = PAGE, onGap }: Asked<Gap>,
  ): AsyncGenerator<Event, void, undefined> {
    while (!signal.aborted) {
      const { events, ack, gap } = await read(name, { limit, wait }, { signal })
      if (gap !== null) await onGap?.(gap)
      if (events.length === 0 && ack !== null) await acknowledge(name, ack, {})
      yield* handOut(name, events, signal)
    }
  }

  /** Waits longer after each failure. @throws the error, where waiting cannot help */
  async function backOff(error: unknown, earlier: number, { signal, onError }: Asked<Gap>): Promise<void> {
    if (signal.aborted) return
    if (!isPassingError(error)) throw error
    onError?.(error instanceof HandlerError ? error.cause : error)
    const asked = error instanceof PosthornError ? error.retryAfterSeconds : null
    const waitMs = retryWaitMs({ earlier, retryAfterSeconds: asked, random: random() })
    // It rejects when the signal aborts, which the caller sees for itself.
    await sleep(waitMs ?? (asked ?? 0) * 1_000, signal).catch(() => {})
  }

  return {
    /**
     * Hands each event to `handler`, one after another, and acknowledges it once the handler has resolved. When the handler fails, the same event
     * comes again after a wait; failures of the service are waited for as well. Returns when the signal aborts.
     * @throws PosthornError when the service refuses for good, such as a key that was revoked
     */
    async consume(
      name: string,
      handler: (event: Event) => void | Promise<void>,
      options: ConsumeOptions<Gap> = {},
    ): Promise<void> {
      const asked = { ...options, signal: options.signal ?? new AbortController().signal }
      let failures = 0
      while (!asked.signal.aborted) {
        try {
          for await (const event of untilFailure(name, asked)) {
            await handle(handler, event)
            failures = 0
          }
        } catch (error) {
          await backOff(error, failures++, asked)
        }
      }
    },

    /**
     * The events as they come, without an end. One is acknowledged when the next is asked for: the event at which you leave the loop
     * comes again.
     * @throws PosthornError as `consume` does
     */
    async *events(name: string, options: ConsumeOptions<Gap> = {}): AsyncGenerator<Event, void, undefined> {
      const asked = { ...options, signal: options.signal ?? new AbortController().signal }
      let failures = 0
      while (!asked.signal.aborted) {
        try {
          for await (const event of untilFailure(name, asked)) {
            failures = 0
            yield event
          }
        } catch (error) {
          await backOff(error, failures++, asked)
        }
      }
    },
  }
}

async function handle<Event>(handler: (event: Event) => void | Promise<void>, event: Event): Promise<void> {
  try {
    await handler(event)
  } catch (cause) {
    throw new HandlerError('the handler failed', { cause })
  }
}

/** Whether it may help to go on after a while. After a seek, it helps to read again. */
function isPassingError(error: unknown): boolean {
  if (error instanceof PosthornError)
    return error.status >= 500 || isPassing(error.status) || error.code === OUTDATED
  return (
    error instanceof HandlerError ||
    error instanceof PosthornConnectionError ||
    error instanceof PosthornTimeoutError
  )
}
