import type { WebhookStatus } from '../../src/core/enabledState.ts'
import type { OffReason, TimeClosed } from '../../src/core/health.ts'
import type { ResendTrigger } from '../../src/core/policy.ts'
import type { AttemptToRecord, EventToStore, Outage } from '../../src/storage/storage.ts'
import type { Arrival } from './receivers/receivers.ts'

/** A delivery and the webhook that it is for. */
interface DeliveryRef {
  readonly id: number
  readonly webhookId: number
}

/** Why deliveries are no longer leased although none of their attempts was recorded. */
export type FreedBy = 'release' | 'retirement' | 'rescue' | 'lost answer'

/** An effect in the store. `now` is the caller's time. */
export type StoreEntry =
  /** An event, the deliveries created with it, and the webhooks whose deliveries follow later. */
  | {
      readonly kind: 'stored'
      readonly event: EventToStore
      readonly deliveries: readonly DeliveryRef[]
      readonly late: readonly number[]
    }
  /** A step of a fan-out; `null`: no delivery, since the webhook was deleted. */
  | {
      readonly kind: 'created'
      readonly eventId: number
      readonly webhookId: number
      readonly deliveryId: number | null
      readonly canceled: boolean
    }
  | {
      readonly kind: 'leased'
      readonly nodeId: number
      readonly lease: number
      readonly now: number
      readonly deliveryIds: readonly number[]
    }
  | { readonly kind: 'freed'; readonly by: FreedBy; readonly deliveryIds: readonly number[] }
  | {
      readonly kind: 'attempted'
      readonly nodeId: number
      readonly now: number
      readonly steadySince: number | null
      readonly failingFrom: number | null
      readonly outages: readonly TimeClosed[]
      readonly result: AttemptToRecord
    }
  /** A result that was not recorded. */
  | { readonly kind: 'refused'; readonly nodeId: number; readonly result: AttemptToRecord }
  | { readonly kind: 'disabled'; readonly webhookId: number; readonly reason: OffReason }
  | { readonly kind: 'warned'; readonly webhookId: number }
  | {
      readonly kind: 'changed'
      readonly webhookId: number
      readonly status: WebhookStatus
      readonly url: string
      readonly eventTypes: readonly string[]
      readonly version: number
    }
  | { readonly kind: 'deleted'; readonly webhookId: number }
  | { readonly kind: 'suspended'; readonly workspaceId: number; readonly suspended: boolean }
  | {
      readonly kind: 'resent'
      readonly deliveryId: number
      readonly trigger: ResendTrigger
      readonly now: number
      /** Its bulk replay. */
      readonly replayId: number | null
    }
  | { readonly kind: 'replayAsked' | 'replayEnded'; readonly replayId: number }
  | { readonly kind: 'pulledIn' | 'retried'; readonly deliveryId: number; readonly dueAt: number }
  | { readonly kind: 'expired' | 'removed'; readonly deliveryId: number }
  /** No node could send from one moment to another; Unix ms. */
  | ({ readonly kind: 'outage' } & Outage)
  /** The node can come back under another number only. */
  | { readonly kind: 'nodeRemoved'; readonly nodeId: number }

/** Actions of processes, their callers and receivers. A process is one life of a node. */
export type SceneEntry =
  | { readonly kind: 'started'; readonly process: number; readonly node: number }
  | { readonly kind: 'ended'; readonly process: number; readonly how: 'killed' | 'stopped' }
  /** The process knows from now on that it has this number in the store. */
  | { readonly kind: 'registered'; readonly process: number; readonly nodeId: number }
  /** The process knows that its lease is valid; by its own monotonic time. */
  | { readonly kind: 'leaseValid'; readonly process: number; readonly until: number }
  /** The process hears that these webhooks changed. */
  | { readonly kind: 'informed'; readonly process: number; readonly webhookIds: readonly number[] }
  /** The process knows that these results are with the store. */
  | {
      readonly kind: 'recordAnswered'
      readonly process: number
      readonly results: readonly AttemptToRecord[]
    }
  | { readonly kind: 'sent' | 'heard'; readonly arrival: Arrival }
  /** A request that did not leave its node, whose way out is closed. */
  | { readonly kind: 'unsent'; readonly process: number; readonly receiver: number; readonly event: number }
  /** The store names receivers that were reached to a process that asks for them; `null`: the call failed. */
  | { readonly kind: 'learned'; readonly process: number; readonly webhookIds: readonly number[] | null }
  | {
      readonly kind: 'acknowledged'
      readonly process: number
      readonly events: readonly number[]
      /** Whether the caller learned that these were repeats. */
      readonly repeated: boolean
    }
  | {
      readonly kind: 'loaded'
      readonly process: number
      readonly waiting: number
      readonly inFlight: number
    }
  /** The process gave the store another time than that of its clock. */
  | { readonly kind: 'wrongTime'; readonly process: number; readonly call: string; readonly byMs: number }
  /** For people who read a trace. */
  | { readonly kind: 'fault'; readonly text: string }

/** `at`: Unix ms by the simulation's own time, which no fault changes. */
export type Entry = (StoreEntry | SceneEntry) & { readonly at: number }
export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { readonly kind: Kind }>

/** The events of a simulation, in order. */
export class Trace {
  readonly entries: Entry[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  note(entry: StoreEntry | SceneEntry): void {
    this.entries.push({ ...entry, at: this.#now() })
  }
}
