import type { Spread } from '../measure/latencies.ts'

export interface RawRequest {
  readonly name: string
  /** Head and body. */
  readonly bytes: Uint8Array
}

/** Writes requests unchanged over sockets, in turn, and counts their answers. */
export interface RawSenderStart {
  readonly port: number
  readonly requests: readonly RawRequest[]
  /** Each has one request in flight at a time. */
  readonly connections: number
  /**
   * Requests a second, independent of earlier ones: a request without a free connection is dropped. `null`:
   * each connection sends the next when the last was answered.
   */
  readonly perSecond: number | null
  /** It stops after this many requests or this time. */
  readonly maxRequests: number
  readonly maxSeconds: number
  /** At the end it waits at most this long for requests in flight. */
  readonly endWithinMs: number
  /** Of all connections together. */
  readonly bytesPerSecond: number
  /** Delay from the end of a connection to its replacement. */
  readonly reconnectMs: number
  /** File for the ids of accepted events; `null`: none. */
  readonly idsFile: string | null
}

export type ToRawSender = { readonly kind: 'finish' }

/** Requests by their name, then by status; `closed`: the connection ended without an answer. */
export type Answers = Readonly<Record<string, Readonly<Record<string, number>>>>

export interface RawReport {
  readonly answers: Answers
  /** Requests without a free connection. */
  readonly unsent: number
  /** Requests still unanswered after the final wait. */
  readonly open: number
  /** Events. */
  readonly accepted: number
  /** From a request's first byte to its answer, or to the end of its connection, by status. */
  readonly times: Readonly<Record<string, Spread>>
}

export type FromRawSender = { readonly kind: 'ready' } | ({ readonly kind: 'finished' } & RawReport)

export const RAW_SENDER = new URL('./rawSenderProgram.ts', import.meta.url)
