import type { Surroundings } from '../connection/connect.ts'
import { isPassing, retryWaitMs } from '../connection/retry.ts'
import { PosthornConnectionError, PosthornError, PosthornTimeoutError } from '../errors.ts'
import type { RequestOptions } from './operations.ts'

/** How long a read waits for events, unless the client's own timeout is too short for it. */
const WAIT_SECONDS = 20
/** Kept of the timeout for the response. */
const ANSWER_SECONDS = 5
/** Events of one page: at most this many are handed out again after a crash. */
const PAGE = 20
/** Within a page, handled events are acknowledged this often. */
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

/** Reads a consumer until the caller stops, and acknowledges handled events. */
export function consuming<Event extends { readonly ack: string }, Gap>(
  { read, acknowledge }: Source<Event, Gap>,
  { sleep, random, timeoutMs }: Surroundings,
) {
  const wait = Math.max(0, Math.min(WAIT_SECONDS, Math.floor(timeoutMs / 1000) - ANSWER_SECONDS))

  /** The events of one page. An event counts as handled when the next one is requested. */
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
      // Also when a later event failed, and when the caller stopped.
      if (done !== null) await acknowledge(name, done, {})
    }
  }

  /** Yields events until an error. */
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

  /** Waits longer after each failure. @throws the error, if a retry cannot help */
  async function backOff(error: unknown, earlier: number, { signal, onError }: Asked<Gap>): Promise<void> {
    if (signal.aborted) return
    if (!isPassingError(error)) throw error
    onError?.(error instanceof HandlerError ? error.cause : error)
    const asked = error instanceof PosthornError ? error.retryAfterSeconds : null
    const waitMs = retryWaitMs({ earlier, retryAfterSeconds: asked, random: random() })
    // It rejects when the signal aborts, which the caller notices itself.
    await sleep(waitMs ?? (asked ?? 0) * 1_000, signal).catch(() => {})
  }

  return {
    /**
     * Passes each event to `handler`, one after another, and acknowledges it once the handler has resolved. When the handler or
     * the service fails, it waits and tries the same event again. Returns when the signal aborts.
     * @throws PosthornError when retries cannot help, such as for a revoked key
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
     * An endless iteration over the events. An event is acknowledged when the next one is requested: the event at which you
     * leave the loop comes again.
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

/** Whether a retry may help. After a seek, reading again helps. */
function isPassingError(error: unknown): boolean {
  if (error instanceof PosthornError)
    return error.status >= 500 || isPassing(error.status) || error.code === OUTDATED
  return (
    error instanceof HandlerError ||
    error instanceof PosthornConnectionError ||
    error instanceof PosthornTimeoutError
  )
}
