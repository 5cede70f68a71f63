import type { Block } from './blocks.ts'

export interface Address {
  /** As people read it; empty when there is none. */
  readonly name: string
  readonly address: string
}

/** One message, whole: made of its row alone, so that a second copy of it is the same. */
export interface Mail {
  /** Names the message, in its `Message-ID` and as a file. */
  readonly key: string
  /** Unix ms; its `Date`. */
  readonly createdAt: number
  readonly kind: string
  readonly to: Address
  readonly subject: string
  readonly blocks: readonly Block[]
}

/** Where messages go. */
export interface Transport {
  /** What the log says of a message that went there. */
  readonly done: string
  /**
   * Resolves once the message is somebody else's to keep.
   * @param signal gives up, whatever is under way
   * @returns what the log should name besides
   * @throws RefusedError, PutOffError (rejects); whatever else is a trouble of the transport, and none of the message
   */
  send(mail: Mail, signal: AbortSignal): Promise<object>
}

/** The message was refused, and would be again. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** The message was not taken this time. */
export class PutOffError extends Error {
  override readonly name = 'PutOffError'
}
