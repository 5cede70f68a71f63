import type { SchemeName } from '@posthorn/receiver'
import type { Behavior } from '../receivers/behavior.ts'
import type { Identity } from '../receivers/certificate.ts'
import type { DialectName } from '../support/workspaces.ts'

/** A path of the receiver. */
export interface SoakHook {
  readonly path: string
  readonly dialect: DialectName
  readonly scheme: SchemeName
  readonly secret: string
  readonly behavior: Behavior
}

/** The requests to one hook. */
export interface Arrivals {
  readonly requests: number
  /** Accepted again after they had been accepted. */
  readonly repeated: number
  /** Requests whose signature a vendor's library rejected, with the first reason. */
  readonly forged: number
  readonly forgery: string | null
  /**
   * By event number: how many requests arrived, and how many of them were answered 2xx; 255 means that or
   * more.
   */
  readonly attempts: Uint8Array
  readonly accepted: Uint8Array
}

export interface SoakReceiverStart {
  readonly identity: Identity
  /** Upper limit of event numbers, exclusive. */
  readonly events: number
}

export type ToSoakReceiver =
  | { readonly kind: 'hook'; readonly hook: SoakHook }
  | { readonly kind: 'behave'; readonly path: string; readonly behavior: Behavior }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'report'; readonly path: string }
  | { readonly kind: 'count'; readonly path: string }

export type FromSoakReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly arrivals: Arrivals }
  | { readonly kind: 'count'; readonly requests: number }

/** Counts arrivals by event number, so that an hour of requests takes a few megabytes. */
export const SOAK_RECEIVER = new URL('./receiverProgram.ts', import.meta.url)
