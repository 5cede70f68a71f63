import type { SeenRequest } from '../receivers/scriptedReceiver.ts'
import type { DialectName } from '../support/workspaces.ts'
import type { Timeline } from './timeline.ts'

/** All times are Unix milliseconds by the clock of this machine, which no fault changes. */

/** An attempt as the log shows it. */
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

/** An entry of the delivery log, in the naming that both services share. */
export interface Delivery {
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly status: string
  readonly nextAttemptAt: string | null
  readonly attempts: readonly Attempt[]
}

export interface PublishedEvent {
  /** The event's subject, which is unique to it. */
  readonly subject: string
  readonly type: string
  /** `null` when only the service knows it and never returned it. */
  readonly id: string | null
}

/** One publish, with all tries to get it acknowledged. */
export interface Publish {
  readonly workspace: string
  readonly begin: number
  /** `null`: never acknowledged, so it is unknown whether its events are stored. */
  readonly acknowledgedAt: number | null
  readonly events: readonly PublishedEvent[]
}

/** A manual send. */
export interface ManualSend {
  readonly kind: 'test' | 'redeliver' | 'replay' | 'bulk replay'
  readonly hook: string
  readonly begin: number
  /** The delivery; `null` for a bulk replay. */
  readonly delivery: string | null
  /** Of a test. */
  readonly eventId: string | null
}

/** The settings of a webhook as people changed them. */
export interface HookState {
  readonly status: 'absent' | 'on' | 'off' | 'paused' | 'deleted'
  /** Empty: all. */
  readonly types: readonly string[]
  /** Of its URL. */
  readonly path: string
}

/** When a secret became valid: not before `begin` and not after `end`. */
export interface SecretChange {
  readonly begin: number
  readonly end: number
}

/** A period in which a node may have lost results: attempts that were made and not recorded. */
export interface Loss {
  readonly cause: string
  /** Attempts that ended earlier are recorded. */
  readonly from: number
  /** When the node stopped sending. */
  readonly at: number
  /** Requests seen later are not affected. */
  readonly to: number
}

/** Everything known about one webhook at the end of a round. */
export interface HookEvidence {
  readonly name: string
  readonly dialect: DialectName
  readonly states: Timeline<HookState>
  readonly suspended: Timeline<boolean>
  readonly secrets: readonly SecretChange[]
  /** Whether its receiver never resets, corrupts or withholds an answer. */
  readonly honest: boolean
  /** The log; `null` when the webhook is deleted and the log can no longer be read. */
  readonly deliveries: readonly Delivery[] | null
  readonly requests: readonly SeenRequest[]
  /** Those of its workspace. */
  readonly publishes: readonly Publish[]
  readonly sends: readonly ManualSend[]
}
