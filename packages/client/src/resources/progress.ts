import type { Sleep } from '../connection/settings.ts'
import type { RequestOptions } from './operations.ts'

export interface WatchOptions extends RequestOptions {
  /** How long to wait between two polls. Default: 1,000. */
  readonly everyMs?: number | undefined
}

/** Polls work that goes on in the service after the call that started it. */
export function progress<Job, Place extends readonly unknown[]>(
  read: (place: Place, options: RequestOptions) => Promise<Job>,
  isOver: (job: Job) => boolean,
  sleep: Sleep,
) {
  async function* watch(place: Place, options: WatchOptions): AsyncGenerator<Job, Job, undefined> {
    const { everyMs = 1_000, signal = new AbortController().signal } = options
    for (;;) {
      const job = await read(place, { signal })
      yield job
      if (isOver(job)) return job
      await sleep(everyMs, signal)
    }
  }

  async function wait(place: Place, options: WatchOptions): Promise<Job> {
    const polls = watch(place, options)
    for (;;) {
      const { done, value } = await polls.next()
      if (done) return value
    }
  }

  return { watch, wait }
}
