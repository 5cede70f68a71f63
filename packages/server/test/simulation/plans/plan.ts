import type { Dialect } from '../../../src/core/dialect.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'
import type { Cluster } from '../nodes/cluster.ts'
import type { Contracts } from '../oracle/contract.ts'
import type { Isolation } from '../oracle/oracle.ts'
import type { Answer, RequestSeen } from '../receivers/receivers.ts'
import type { Draws } from './draws.ts'
import type { Faults } from './faults.ts'

/** What is to be simulated. Times are milliseconds from the start. */
export interface Plan {
  readonly draws: Draws
  readonly workspaces: readonly PlannedWorkspace[]
  /** In the order of time. */
  readonly publications: readonly Publication[]
  readonly answerTo: (request: RequestSeen) => Answer
  readonly lastsMs: number
  readonly people?: People
  /** Others than those that a service has by default, and what they promise. */
  readonly service?: { readonly dialects: readonly Dialect[]; readonly contracts: Contracts }
  /** Places in flight, in all and of one webhook; absent: 512 and 10, as a service has by default. */
  readonly maxInFlight?: number
  readonly maxInFlightPerWebhook?: number
  /** Absent: one node, on which nothing goes wrong. */
  readonly faults?: Faults
  /** Absent: nobody is known to answer promptly. */
  readonly isolation?: Isolation
}

/** People who look after webhooks. */
interface People {
  readonly everyMs: number
  readonly act: (world: World, round: number) => void
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
  /** What lets the publisher repeat a call whose answer it misses; absent: nothing, and it does not. */
  readonly repeatable?: 'by idempotency key' | 'by event ids'
}

/** What is there while a plan is carried out. */
export interface World {
  readonly cluster: Cluster
  /** Of one of the nodes that take work. */
  readonly engine: Engine
  /** As somebody sees it who has a way of their own to it. */
  readonly storage: FlatStorage
  readonly clock: VirtualClock
  /** By position. */
  readonly workspaces: readonly Workspace[]
  /** By the number of the receiver. */
  readonly webhooks: readonly Webhook[]
}
