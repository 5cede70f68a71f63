/** Emits one event in each transaction at an even pace, from its start on. */
export interface PacedProducerStart {
  /** Of the database with the outbox. */
  readonly url: string
  /** What is emitted, in turn. The instant of the emit stands where the template has a blank stamp. */
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
      /** From the emit to the end of the commit, of all since it was asked to measure. */
      readonly commitP99Ms: number
    }

export const PACED_PRODUCER = new URL('./pacedProducerProgram.ts', import.meta.url)
