/** Emits one event per transaction at an even pace, from its start on. */
export interface PacedProducerStart {
  /** Of the database with the outbox. */
  readonly url: string
  /** The events to emit, in turn. The time of the emit replaces the blank stamp of the template. */
  readonly streams: readonly { readonly workspace: string; readonly template: string }[]
  readonly connections: number
  readonly perSecond: number
}

export type ToPacedProducer = { readonly kind: 'measure' } | { readonly kind: 'finish' }
export type FromPacedProducer =
  | { readonly kind: 'producing' }
  | { readonly kind: 'measuring' }
  | {
      readonly kind: 'finished'
      readonly committed: number
      /** From the emit to the end of the commit, of all since the measurement started. */
      readonly commitP99Ms: number
    }

export const PACED_PRODUCER = new URL('./pacedProducerProgram.ts', import.meta.url)
