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

/** The input of a simulation. Times are milliseconds from the start. */
export interface Plan {
  readonly draws: Draws
  readonly workspaces: readonly PlannedWorkspace[]
  /** In order of time. */
  readonly publications: readonly Publication[]
  readonly answerTo: (request: RequestSeen) => Answer
  readonly lastsMs: number
  readonly people?: People
  /** Services other than the defaults, and their contracts. */
  readonly service?: { readonly dialects: readonly Dialect[]; readonly contracts: Contracts }
  /** Slots, in total and of one webhook; absent: 512 and 10, as by default. */
  readonly maxInFlight?: number
  readonly maxInFlightPerWebhook?: number
  /** Absent: one node without faults. */
  readonly faults?: Faults
  /** Absent: no receiver is known to answer promptly. */
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
  /** Index of the workspace. */
  readonly workspace: number
  readonly type: string
  readonly events: number
  /** How the publisher can repeat a call whose answer is lost; absent: it cannot. */
  readonly repeatable?: 'by idempotency key' | 'by event ids'
}

/** The objects of a running plan. */
export interface World {
  readonly cluster: Cluster
  /** Of one of the running nodes. */
  readonly engine: Engine
  /** As seen over a separate connection. */
  readonly storage: FlatStorage
  readonly clock: VirtualClock
  /** By index. */
  readonly workspaces: readonly Workspace[]
  /** By the number of the receiver. */
  readonly webhooks: readonly Webhook[]
}
