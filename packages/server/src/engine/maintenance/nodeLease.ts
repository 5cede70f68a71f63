import type { Clock } from '../../core/clock.ts'
import { type KeyRing, keyConflict } from '../../core/masterKeys.ts'
import { type Storage, StoreOpenError } from '../../storage/storage.ts'
import { VERSION } from '../attempt/version.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import { Loop } from '../loop.ts'

/**
 * Keeps this node's lease alive. All deliveries leased to the node depend on it: once it expires, nothing may be sent until it
 * is renewed. If other nodes took the deliveries over, everything in memory is dropped.
 */
export class NodeLease {
  readonly #storage: Storage['nodes']
  readonly #clock: Clock
  readonly #log: Logger
  readonly #leaseMs: number
  readonly #keys: KeyRing
  readonly #loop: Loop
  readonly #onValidAgain: () => void
  readonly #onLost: () => void
  readonly #onRefused: (error: StoreOpenError) => void
  #nodeId = 0
  #validUntil = Number.NEGATIVE_INFINITY

  constructor(params: {
    readonly storage: Storage['nodes']
    readonly clock: Clock
    readonly log: Logger
    readonly failureLog: FailureLog
    /** Lease duration. When it expires, other nodes take over this node's deliveries. Renewed every third of it. */
    readonly leaseMs: number
    readonly keys: KeyRing
    /** Called when the lease is valid again after it had expired. */
    readonly onValidAgain: () => void
    /** Called when the node has registered under a new id: what was leased to it before is no longer its own. */
    readonly onLost: () => void
    /** Called when this program can no longer work with the store. */
    readonly onRefused: (error: StoreOpenError) => void
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#log = params.log
    this.#leaseMs = params.leaseMs
    this.#keys = params.keys
    this.#onValidAgain = params.onValidAgain
    this.#onLost = params.onLost
    this.#onRefused = params.onRefused
    this.#loop = new Loop({
      name: 'node lease renewal',
      clock: params.clock,
      failureLog: params.failureLog,
      intervalMs: params.leaseMs / 3,
      work: () => this.#renew(),
    })
  }

  get nodeId(): number {
    return this.#nodeId
  }

  /** Whether this node may claim and send now. */
  get valid(): boolean {
    return this.#clock.monotonic() < this.#validUntil
  }

  async start(): Promise<void> {
    await this.#register()
    this.#loop.start()
  }

  /** Releases every delivery that is leased to the node, if the store is available. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    this.#validUntil = Number.NEGATIVE_INFINITY
    try {
      await this.#storage.retireNode({ nodeId: this.#nodeId })
    } catch (error) {
      this.#log.warn({ err: error }, 'leases could not be released; other nodes take over when they expire')
    }
  }

  async #renew(): Promise<number | null> {
    // Counted from before the call: the store's lease can only end later than this.
    const askedAt = this.#clock.monotonic()
    const wasValid = this.valid
    if (await this.#renewInStore()) {
      this.#validUntil = askedAt + this.#leaseMs
    } else {
      // Other nodes may have taken over what is in memory: even if registering fails, nothing may be sent until it succeeds.
      this.#validUntil = Number.NEGATIVE_INFINITY
      await this.#registerAgain()
      this.#onLost()
    }
    // The call took longer than the lease lasts, as when the process was suspended.
    if (!this.valid) return 0
    if (!wasValid) this.#onValidAgain()
    return null
  }

  async #renewInStore(): Promise<boolean> {
    try {
      return await this.#storage.renewNode({ nodeId: this.#nodeId, leaseMs: this.#leaseMs })
    } catch (error) {
      this.#refusedBy(error)
      throw error
    }
  }

  #refusedBy(error: unknown): void {
    if (!(error instanceof StoreOpenError)) return
    this.#validUntil = Number.NEGATIVE_INFINITY
    this.#onLost()
    this.#onRefused(error)
  }

  async #registerAgain(): Promise<void> {
    const node = this.#nodeId
    try {
      await this.#register()
    } catch (error) {
      this.#refusedBy(error)
      this.#log.warn({ node }, 'the lease of this node expired; it could not get a new lease yet')
      throw error
    }
    const fields = { node, new_node: this.#nodeId }
    this.#log.warn(fields, 'the lease of this node expired; it continues with a new lease')
  }

  async #register(): Promise<void> {
    const askedAt = this.#clock.monotonic()
    const { nodeId } = await this.#storage.registerNode({
      leaseMs: this.#leaseMs,
      masterKeys: this.#keys.keyIds,
      version: VERSION,
    })
    // Checked after registering: of two nodes that start at the same time, at least one sees the other.
    const conflict = keyConflict(this.#keys, await this.#storage.listNodes({}), nodeId)
    if (conflict !== null) {
      await this.#storage.retireNode({ nodeId })
      throw new StoreOpenError(conflict)
    }
    this.#nodeId = nodeId
    this.#validUntil = askedAt + this.#leaseMs
  }
}
