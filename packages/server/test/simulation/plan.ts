import type { Dialect } from '../../src/core/dialect.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Webhook, Workspace } from '../../src/storage/rows.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Draws } from './draws.ts'
import type { Answer, RequestSeen } from './receivers.ts'
import type { VirtualClock } from './virtualClock.ts'

/** What is to be simulated. Times are milliseconds from the start. */
export interface Plan {
  readonly draws: Draws
  readonly workspaces: readonly PlannedWorkspace[]
  /** In the order of time. */
  readonly publications: readonly Publication[]
  readonly answerTo: (request: RequestSeen) => Answer
  readonly lastsMs: number
  readonly people?: { readonly everyMs: number; readonly act: (world: World, round: number) => void }
  /** Others than those that a service has by default. */
  readonly dialects?: readonly Dialect[]
  /** Places in flight; absent: 512, as a service has by default. */
  readonly maxInFlight?: number
}

export interface PlannedWorkspace {
  readonly dialect: 'content' | 'ads'
  /** The event types of each webhook; empty: all. Receivers are numbered through all workspaces, from 0 on. */
  readonly webhooks: readonly (readonly string[])[]
}

/** Events of one type that a service publishes in one call. */
export interface Publication {
  readonly at: number
  /** Position of the workspace. */
  readonly workspace: number
  readonly type: string
  readonly events: number
}

/** What is there while a plan is carried out. */
export interface World {
  readonly engine: Engine
  readonly storage: Storage
  readonly clock: VirtualClock
  /** By position. */
  readonly workspaces: readonly Workspace[]
  /** By the number of the receiver. */
  readonly webhooks: readonly Webhook[]
}
