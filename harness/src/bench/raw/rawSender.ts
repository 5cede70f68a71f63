import type { Spread } from '../measure/latencies.ts'

export interface RawRequest {
  readonly name: string
  /** Head and body. */
  readonly bytes: Uint8Array
}

/** Writes requests over sockets as they are, in turn, and counts how they are answered. */
export interface RawSenderStart {
  readonly port: number
  readonly requests: readonly RawRequest[]
  /** Each has one request under way at a time. */
  readonly connections: number
  /**
   * Requests a second, whatever becomes of those before: one that finds no connection free is given up.
   * `null`: each connection sends the next when the last was answered.
   */
  readonly perSecond: number | null
  /** It stops after so many requests, or so long. */
  readonly maxRequests: number
  readonly maxSeconds: number
  /** In the end it waits so long at most for what is under way. */
  readonly endWithinMs: number
  /** Of all connections together. */
  readonly bytesPerSecond: number
  /** From the end of a connection to the next in its place. */
  readonly reconnectMs: number
  /** Where the ids go of the events that were accepted; `null`: nowhere. */
  readonly idsFile: string | null
}

export type ToRawSender = { readonly kind: 'finish' }

/** Requests by their name, then by status; `closed`: the connection ended without an answer. */
export type Answers = Readonly<Record<string, Readonly<Record<string, number>>>>

export interface RawReport {
  readonly answers: Answers
  /** Requests that found no connection free. */
  readonly unsent: number
  /** Requests that had no answer in the end, though it was waited for. */
  readonly open: number
  /** Events. */
  readonly accepted: number
  /** From a request's first byte to its answer, or to the end of its connection, by status. */
  readonly times: Readonly<Record<string, Spread>>
}

export type FromRawSender = { readonly kind: 'ready' } | ({ readonly kind: 'finished' } & RawReport)

export const RAW_SENDER = new URL('./rawSenderProgram.ts', import.meta.url)
