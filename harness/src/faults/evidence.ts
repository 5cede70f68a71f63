import type { SeenRequest } from '../receivers/scriptedReceiver.ts'
import type { DialectName } from '../support/workspaces.ts'
import type { Timeline } from './timeline.ts'

/** All times are Unix milliseconds by the clock of this machine, which no fault touches. */

/** An attempt as the log tells it. */
export interface Attempt {
  readonly number: number
  readonly trigger: 'schedule' | 'redeliver' | 'replay' | 'test'
  /** By the clock of the node that made it. */
  readonly startedAt: string
  readonly durationMs: number
  readonly statusCode: number | null
  /** The code of its error. */
  readonly error: string | null
}

/** An entry of the delivery log, in the words that both services share. */
export interface Delivery {
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly status: string
  readonly nextAttemptAt: string | null
  readonly attempts: readonly Attempt[]
}

export interface PublishedEvent {
  /** What the event is about; no other event is about it. */
  readonly subject: string
  readonly type: string
  /** `null` when only the service knows it and never told. */
  readonly id: string | null
}

/** One publish, with all tries that were made to get it acknowledged. */
export interface Publish {
  readonly workspace: string
  readonly begin: number
  /** `null`: it never was, and whether its events are stored nobody told. */
  readonly acknowledgedAt: number | null
  readonly events: readonly PublishedEvent[]
}

/** Something sent by hand. */
export interface ManualSend {
  readonly kind: 'test' | 'redeliver' | 'replay' | 'bulk replay'
  readonly hook: string
  readonly begin: number
  /** The delivery; `null` for a bulk replay. */
  readonly delivery: string | null
  /** Of a test. */
  readonly eventId: string | null
}

/** What people have set a webhook to. */
export interface HookState {
  readonly status: 'absent' | 'on' | 'off' | 'paused' | 'deleted'
  /** Empty: all. */
  readonly types: readonly string[]
  /** Of its URL. */
  readonly path: string
}

/** When a secret came into force, which was not before `begin` and not after `end`. */
export interface SecretChange {
  readonly begin: number
  readonly end: number
}

/** Time in which a node may have lost what it held: attempts that were made and not recorded. */
export interface Loss {
  readonly cause: string
  /** Attempts that ended earlier are recorded. */
  readonly from: number
  /** When the node stopped sending. */
  readonly at: number
  /** Requests seen later are not affected. */
  readonly to: number
}

/** Everything known of one webhook once all is calm. */
export interface HookEvidence {
  readonly name: string
  readonly dialect: DialectName
  readonly states: Timeline<HookState>
  readonly suspended: Timeline<boolean>
  readonly secrets: readonly SecretChange[]
  /** Whether its receiver never resets, garbles or withholds an answer. */
  readonly honest: boolean
  /** The log; `null` when the webhook is deleted and nobody can read it. */
  readonly deliveries: readonly Delivery[] | null
  readonly requests: readonly SeenRequest[]
  /** Those of its workspace. */
  readonly publishes: readonly Publish[]
  readonly sends: readonly ManualSend[]
}
