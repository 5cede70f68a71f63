import type { ConnectProgress } from '../connectAttempt.ts'
import type { ResponseHead } from './head.ts'

/** Callbacks of one request. Either `onComplete` or `onError` is called, once, unless the request was aborted. */
export interface ResponseHandler {
  /** Whether it no longer needs the response. Then its request is not sent. */
  readonly ended: boolean
  /** A connection is being opened for the request. */
  onConnecting(progress: ConnectProgress): void
  /** The request is about to be written. @param abort drops the connection; no callback follows */
  onConnect(abort: () => void): void
  /** The response's head; interim responses are skipped. */
  onHead(head: ResponseHead): void
  /** @param bytes valid during the call only */
  onData(bytes: Buffer): void
  onComplete(): void
  /** @param error an EgressError when no connection was opened */
  onError(error: Error): void
}
