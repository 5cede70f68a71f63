/** Emits one event in each transaction at an even pace, from its start on. */
export interface PacedProducerStart {
  /** Of the database with the outbox. */
  readonly url: string
  /** What is emitted, in turn. The instant of the emit stands where the template has a blank stamp. */
  readonly streams: readonly { readonly workspace: string; readonly template: string }[]
  readonly connections: number
  readonly perSecond: number
}

export type ToPacedProducer = { readonly kind: 'finish' }
export type FromPacedProducer =
  | { readonly kind: 'producing' }
  | { readonly kind: 'finished'; readonly committed: number }

export const PACED_PRODUCER = new URL('./pacedProducerProgram.ts', import.meta.url)
