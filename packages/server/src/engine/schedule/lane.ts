import type { Dialect, SigningKey } from '../../core/dialect.ts'
import type { WebhookStatus } from '../../core/enabledState.ts'
import type { LeasedDelivery } from '../../storage/rows.ts'
import type { Destination } from '../egress/index.ts'
import { type Memory, type ReceiverSpeed, type Trust, trustOf } from './admission.ts'
import type { LaneLimiter } from './laneLimiter.ts'

/**
 * Why nothing of a lane is sent:
 * - `loading`: its target is being read from the store. Its deliveries stay in memory.
 * - `unsendable`: its secret cannot be opened, or its URL cannot be read. It ends when the webhook changes.
 * - `disabling`: a result that disables the webhook is not recorded yet. It ends when the result is.
 * - `sender`: an attempt failed by a fault of ours. It ends after a while.
 *
 * Under the last three, its deliveries stay in the store. Several reasons may hold at once; each ends independently.
 */
export type BlockReason = 'loading' | 'unsendable' | 'disabling' | 'sender'

interface TargetKey {
  readonly key: SigningKey
  /** Unix ms; `null`: the current secret. */
  readonly expiresAt: number | null
}

/** What an attempt needs to know of its webhook, opened and parsed once. */
export interface Target {
  readonly version: number
  readonly dialect: Dialect
  readonly publicId: string
  readonly workspaceSlug: string
  readonly status: WebhookStatus
  readonly destination: Destination
  /** Newest first. */
  readonly keys: readonly TargetKey[]
}

/** Characters of a body that weigh as much as a delivery without a body. */
const CHARACTERS_PER_WEIGHT = 3_250

/** An empty lane keeps fewer free places than this: V8 allocates that many for the first delivery anyway. */
const COMPACT_FROM = 16

/** 1 for a delivery, more for one with a long body, even if other deliveries share that body. */
export function weightOf({ body }: LeasedDelivery): number {
  return 1 + Math.floor(body.length / CHARACTERS_PER_WEIGHT)
}

/**
 * All that this node knows of one webhook. {@link Lanes} changes it, and keeps the sums over lanes in step; others read it.
 * Only the target is set elsewhere.
 */
export class Lane {
  readonly webhookId: number
  readonly workspace: WorkspaceLanes
  speed: ReceiverSpeed = 'unknown'
  /** Monotonic milliseconds; meaningless unless `speed` is `slow`. */
  slowSince = 0
  /** `null`: not read yet, or changed since. */
  target: Target | null = null
  /** Counts the changes of the webhook: a target read before the latest one is outdated. */
  changes = 0
  blocks: readonly BlockReason[] = []
  /** The number of the claim call by which the store was last known to hold due deliveries; `null`: it holds none. */
  backlogSince: number | null = null
  inFlight = 0
  /** `null`: its webhook has no limit, and its receiver does not ask for less. */
  limiter: LaneLimiter | null = null
  /** Until when another node is known to send to it, since its webhook has a limit; monotonic ms. */
  elsewhereUntil = Number.NEGATIVE_INFINITY
  /** Faults of ours in a row. */
  sendersFaults = 0
  /** Those of them while other receivers were reached, and when the first was; monotonic ms. */
  timesBlocked = 0
  blockedSince = 0
  /** Whether it is in the order of turns. */
  queued = false
  /** Of all deliveries that wait in memory. */
  weight = 0
  /** `undefined`: already taken out. Otherwise lanes would keep the bodies of deliveries that have ended. */
  readonly #waiting: (LeasedDelivery | undefined)[] = []
  /** Position of the next one in `#waiting`: to shift an array costs time in proportion to its length. */
  #head = 0

  constructor(webhookId: number, workspace: WorkspaceLanes) {
    this.webhookId = webhookId
    this.workspace = workspace
  }

  /** Deliveries that wait in memory. */
  get waiting(): number {
    return this.#waiting.length - this.#head
  }

  get trust(): Trust {
    return trustOf(this.speed)
  }

  /** Whether the store holds due deliveries, as far as this node knows. */
  get hasBacklog(): boolean {
    return this.backlogSince !== null
  }

  /** Whether nothing may be sent. */
  get blocked(): boolean {
    return this.blocks.length > 0
  }

  /** Whether no delivery may be taken into memory, since it could not be sent. */
  get closed(): boolean {
    return this.blocked && this.blocks.some((reason) => reason !== 'loading')
  }

  /** Whether new deliveries must stay in the store. */
  get keptInStore(): boolean {
    return this.closed || this.hasBacklog
  }

  /** Whether it may be forgotten: only its speed and its target would be lost. */
  get idle(): boolean {
    return this.inFlight === 0 && this.waiting === 0 && !this.blocked && !this.hasBacklog
  }

  /** The next delivery; there must be one. */
  get first(): LeasedDelivery {
    return this.#waiting[this.#head]!
  }

  /** Whether any delivery that waits is like this. */
  some(test: (delivery: LeasedDelivery) => boolean): boolean {
    return this.#waiting.some((delivery) => delivery !== undefined && test(delivery))
  }

  /** An attempt failed by a fault of ours while other receivers were reached. @param now monotonic ms */
  noteBlocked(now: number): void {
    if (this.timesBlocked === 0) this.blockedSince = now
    this.timesBlocked++
  }

  /** Its receiver has answered. */
  answered(): void {
    this.sendersFaults = 0
    this.timesBlocked = 0
  }

  push(delivery: LeasedDelivery): void {
    this.#waiting.push(delivery)
    this.weight += weightOf(delivery)
  }

  /** Takes out the next one; there must be one. */
  shift(): LeasedDelivery {
    const delivery = this.#waiting[this.#head]!
    this.#waiting[this.#head++] = undefined
    this.weight -= weightOf(delivery)
    if (this.#head >= COMPACT_FROM && this.#head * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#head)
      this.#head = 0
    }
    return delivery
  }

  /** Takes out everything that waits. */
  empty(): LeasedDelivery[] {
    const waiting = this.#waiting.filter((delivery) => delivery !== undefined)
    this.#waiting.length = 0
    this.#head = 0
    this.weight = 0
    return waiting
  }
}

/** What the lanes of one workspace have in common. */
export class WorkspaceLanes {
  readonly workspaceId: number
  readonly memory: Memory = { fast: 0, unproven: 0, promised: 0 }
  /** How many lanes there are. */
  lanes = 0
  /** Lanes whose new deliveries must stay in the store. */
  readonly keptInStore = new Set<Lane>()
  /** Lanes that wait for their turn. */
  readonly queued: Readonly<Record<ReceiverSpeed, Lane[]>> = { unknown: [], fast: [], slow: [] }
  /** Whether it has so much in memory that nothing more is claimed for it. */
  readonly full: Record<Trust, boolean> = { fast: false, unproven: false }

  constructor(workspaceId: number) {
    this.workspaceId = workspaceId
  }
}
