/** A batch that is published repeatedly; the service creates new events from it each time. */
export interface PreparedBatch {
  readonly path: string
  readonly key: string
  /** JSON. */
  readonly body: string
  readonly events: number
}

export interface PublisherStart {
  /** Of the nodes, which get batches in turn. */
  readonly urls: readonly string[]
  readonly batches: readonly PreparedBatch[]
  readonly batchesInFlight: number
  /** Events published but not yet delivered, at most. */
  readonly maxOutstanding: number
  /** Whether it waits as long as a 429 or 503 says and continues, instead of ending. */
  readonly goesOn: boolean
  /** File for the ids of acknowledged events; `null`: none. */
  readonly idsFile: string | null
}

export type ToPublisher =
  | { readonly kind: 'progress'; readonly deliveries: number }
  | { readonly kind: 'count' }
  | { readonly kind: 'finish' }

export type FromPublisher =
  /** It listens for messages, and publishes. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'count'; readonly acknowledged: number }
  /** Everything that was under way is answered, and all ids are in the file. */
  | { readonly kind: 'finished'; readonly acknowledged: number; readonly refused: number }
  | { readonly kind: 'failed'; readonly reason: string }

export const PUBLISHER = new URL('./publisherProgram.ts', import.meta.url)
