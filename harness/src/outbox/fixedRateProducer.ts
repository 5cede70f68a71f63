/** Emits one event per transaction at a fixed rate, from its start on. */
export interface FixedRateProducerStart {
  /** Of the database with the outbox. */
  readonly url: string
  /** The events to emit, in turn. The time of the emit replaces the blank stamp of the template. */
  readonly streams: readonly { readonly workspace: string; readonly template: string }[]
  readonly connections: number
  readonly perSecond: number
}

export type ToFixedRateProducer = { readonly kind: 'measure' } | { readonly kind: 'finish' }
export type FromFixedRateProducer =
  | { readonly kind: 'producing' }
  | { readonly kind: 'measuring' }
  | {
      readonly kind: 'finished'
      readonly committed: number
      /** From the emit to the end of the commit, of all since the measurement started. */
      readonly commitP99Ms: number
    }

export const FIXED_RATE_PRODUCER = new URL('./fixedRateProducerProgram.ts', import.meta.url)
