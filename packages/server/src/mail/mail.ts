import type { Block } from './blocks.ts'

export interface Address {
  /** As people read it; empty when there is none. */
  readonly name: string
  readonly address: string
}

/** A complete message. It depends only on its row, so that a second copy is identical. */
export interface Mail {
  /** The id of the message, in its `Message-ID` and its file name. */
  readonly key: string
  /** Unix ms; its `Date`. */
  readonly createdAt: number
  readonly kind: string
  readonly to: Address
  readonly subject: string
  readonly blocks: readonly Block[]
}

/** Sends messages. */
export interface Transport {
  /** The log message after sending. */
  readonly done: string
  /**
   * Resolves once the recipient's system has accepted the message.
   * @param signal aborts the attempt
   * @returns further fields for the log
   * @throws RefusedError, DeferredError (rejects); other errors concern the transport and not the message
   */
  send(mail: Mail, signal: AbortSignal): Promise<object>
}

/** The message was rejected, and would be rejected again. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** The message was rejected temporarily. */
export class DeferredError extends Error {
  override readonly name = 'DeferredError'
}
