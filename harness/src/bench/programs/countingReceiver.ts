import type { Identity } from '../../receivers/certificate.ts'
import type { Progress } from './progress.ts'

/** Messages to and from a benchmark receiver. It only counts, records ids and answers 204. */
export interface CountingReceiverStart {
  readonly idsFile: string
  /** `null`: it uses plain HTTP. */
  readonly identity: Identity | null
}

export type ToCountingReceiver = { readonly kind: 'count' } | { readonly kind: 'finish' }

/** `atMs`: on the machine's monotonic clock, which all processes share. */
export type FromCountingReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | Progress
  | { readonly kind: 'count'; readonly deliveries: number; readonly atMs: number }
  | { readonly kind: 'finished' }

export const COUNTING_RECEIVER = new URL('./countingReceiverProgram.ts', import.meta.url)

/** Names the event in every request of the content service. */
export const ID_HEADER = 'webhook-id'
