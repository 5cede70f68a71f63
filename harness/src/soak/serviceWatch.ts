import { setTimeout as sleep } from 'node:timers/promises'
import { directoryBytes } from '../bench/measure/proc.ts'
import { type Resources, resourcesIn } from '../faults/nodes/resources.ts'
import { type MetricsText, readMetrics } from '../support/metricsText.ts'
import type { PosthornProcess } from '../support/posthorn.ts'

/** The resources of a service at one time. */
export interface Sample extends Resources {
  readonly atMs: number
  readonly heapBytes: number
  readonly timers: number
  /** Highest event loop delay since the previous sample. */
  readonly loopMaxMs: number
  readonly pending: number
  readonly inFlight: number
  readonly storeBytes: number
}

const EVERY_MS = 5_000

/** Scrapes a service every five seconds, as a Prometheus would. */
export class ServiceWatch {
  readonly samples: Sample[] = []
  /** Errors of failed scrapes. */
  readonly failures: string[] = []
  readonly #service: PosthornProcess
  readonly #dataDir: string
  readonly #end = new AbortController()
  readonly #work: Promise<void>

  constructor(service: PosthornProcess, dataDir: string) {
    this.#service = service
    this.#dataDir = dataDir
    this.#work = this.#sampleAll()
  }

  /** The last sample, for a line of progress. */
  lastLine(): string {
    const last = this.samples.at(-1)
    return last === undefined ? '' : `, ${lineOf(last)}`
  }

  async stop(): Promise<void> {
    this.#end.abort()
    await this.#work
  }

  async #sampleAll(): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        this.samples.push(await takeSample(this.#service, this.#dataDir))
      } catch (error) {
        this.failures.push(String(error))
      }
      await sleep(EVERY_MS, undefined, { signal: this.#end.signal }).catch(() => undefined)
    }
  }
}

export async function takeSample(service: PosthornProcess, dataDir: string): Promise<Sample> {
  const metrics = await readMetrics(service.url)
  return {
    ...resourcesIn(metrics, service.pid),
    atMs: performance.now(),
    heapBytes: metrics.sum('nodejs_heap_size_used_bytes'),
    timers: metrics.sum('nodejs_active_resources', 'type="Timeout"'),
    loopMaxMs: metrics.sum('nodejs_eventloop_lag_max_seconds') * 1000,
    ...workOf(metrics),
    storeBytes: directoryBytes(dataDir),
  }
}

export const workOf = (metrics: MetricsText): Pick<Sample, 'pending' | 'inFlight'> => ({
  pending: metrics.sum('posthorn_deliveries_pending'),
  inFlight: metrics.sum('posthorn_attempts_in_flight'),
})

export const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)

const lineOf = (sample: Sample) =>
  `RSS ${megabytes(sample.rssBytes)} MB, heap ${megabytes(sample.heapBytes)} MB, store ${megabytes(sample.storeBytes)} MB, ` +
  `${sample.fileDescriptors} files, ${sample.sockets} sockets, ${sample.pending} pending, loop max ${sample.loopMaxMs.toFixed(0)} ms`
