import type { Spread } from '../measure/latencies.ts'

/** Events that are published at an even pace, whatever becomes of those before. */
export interface Stream {
  /** Names its latencies; streams may share one. */
  readonly group: string
  readonly path: string
  readonly key: string
  /** JSON, with a blank stamp wherever the instant is to stand at which it was due. */
  readonly template: string
  /** In the template. */
  readonly events: number
  /** Requests a second. 0: only on command. */
  readonly requestsPerSecond: number
}

export interface PacedPublisherStart {
  readonly url: string
  readonly streams: readonly Stream[]
  /** Connections; what finds none free waits, and its latency counts from when it was due all the same. */
  readonly connections: number
  /** Where the ids of what was acknowledged go; `null`: nowhere. */
  readonly idsFile: string | null
  /** Whether it counts publishes that fail, instead of ending at the first. */
  readonly goesOn: boolean
  /** Where it publishes straight to receivers that speak HTTPS, PEM. */
  readonly ca: string | null
}

export type ToPacedPublisher =
  /** Every stream publishes once, now. */
  | { readonly kind: 'once' }
  /** Latencies are counted from here on. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'count' }
  /** Publishes nothing more, and waits for what is under way. */
  | { readonly kind: 'finish' }

interface Published {
  /** Events, since the start. */
  readonly acknowledged: number
  /** From due to acknowledged, by group, since `begin`. */
  readonly latencies: Readonly<Record<string, Spread>>
  /** From due to handed over to the connections, which is the publisher's own share of them. */
  readonly lateness: Readonly<Record<string, Spread>>
  /** Publishes that failed, by status or error, since the start. */
  readonly failed: Readonly<Record<string, number>>
}

export type FromPacedPublisher =
  /** It hears what it is told, and publishes at its pace. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'count' } & Published)
  | ({ readonly kind: 'finished' } & Published)
  | { readonly kind: 'failed'; readonly reason: string }

export const PACED_PUBLISHER = new URL('./pacedPublisherProgram.ts', import.meta.url)
