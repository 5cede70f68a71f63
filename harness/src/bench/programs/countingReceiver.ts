import type { Identity } from '../../receivers/certificate.ts'
import type { Progress } from './progress.ts'

/** What the receiver of a benchmark says and hears. It counts, notes ids, answers 204, and nothing more. */
export interface CountingReceiverStart {
  readonly idsFile: string
  /** `null`: it speaks plain HTTP. */
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

/** Names the event in every request of the content dialect. */
export const ID_HEADER = 'webhook-id'
