import type { Spread } from '../measure/latencies.ts'

/** Events published at a fixed rate, whatever happens to earlier ones. */
export interface Stream {
  /** Label of its latencies; streams may share one. */
  readonly group: string
  readonly path: string
  readonly key: string
  /** JSON, with a blank stamp in place of the instant at which it was due. */
  readonly template: string
  /** Events in the template. */
  readonly events: number
  /** Requests a second. 0: only on command. */
  readonly requestsPerSecond: number
}

export interface FixedRatePublisherStart {
  readonly url: string
  readonly streams: readonly Stream[]
  /** Connections. A request without a free one waits, and its latency still counts from when it was due. */
  readonly connections: number
  /** File for the ids of acknowledged events; `null`: none. */
  readonly idsFile: string | null
  /** Whether it counts failed publishes instead of ending at the first. */
  readonly goesOn: boolean
  /** CA for publishing directly to HTTPS receivers, PEM. */
  readonly ca: string | null
}

export type ToFixedRatePublisher =
  /** Every stream publishes once, now. */
  | { readonly kind: 'once' }
  /** Latencies are counted from here on. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'count' }
  /** Publishes nothing more, and waits for what is under way. */
  | { readonly kind: 'finish' }

interface Published {
  /** Events since the start. */
  readonly acknowledged: number
  /** From due to acknowledged, by group, since `begin`. */
  readonly latencies: Readonly<Record<string, Spread>>
  /** From due to handed over to the connections: the publisher's own share of the latencies. */
  readonly lateness: Readonly<Record<string, Spread>>
  /** Failed publishes since the start, by status or error. */
  readonly failed: Readonly<Record<string, number>>
}

export type FromFixedRatePublisher =
  /** It listens for messages, and publishes at its rate. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'count' } & Published)
  | ({ readonly kind: 'finished' } & Published)
  | { readonly kind: 'failed'; readonly reason: string }

export const FIXED_RATE_PUBLISHER = new URL('./fixedRatePublisherProgram.ts', import.meta.url)
