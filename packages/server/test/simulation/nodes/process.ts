import type { Clock } from '../../../src/core/clock.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { StoreClock } from '../../../src/storage/postgres/storeClock.ts'
import { type ClockError, MachineClock } from '../clock/machineClock.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'

/**
 * The clock of an engine: the simulation's own, which no fault changes; its machine's, as with an embedded
 * store; or the store's, which nodes that share a database read with each renewal of their leases.
 */
export type ClockKind = 'simulation' | 'machine' | 'store'

/** One life of a node, from its start until it stops or is killed. */
export class Process {
  readonly number: number
  readonly node: number
  readonly machine: MachineClock
  /** The engine's. */
  readonly clock: Clock
  readonly storeClock: StoreClock | null
  /** Leases whose creation this process never learned of. */
  readonly doubtful = new Set<number>()
  /** Number of calls of the store so far. */
  calls = 0
  /** Number of requests sent so far. */
  requests = 0
  #engine: Engine | null = null
  #alive = true
  #stalled = false
  /** Callbacks that wait until the process continues. */
  #deferred: (() => void)[] = []
  readonly #world: VirtualClock
  #die: () => void = () => {}
  /** Resolves when it is killed, or has stopped. */
  readonly died: Promise<void> = new Promise((resolve) => {
    this.#die = resolve
  })

  constructor(
    world: VirtualClock,
    kind: ClockKind,
    {
      number,
      node,
      clockError,
    }: { readonly number: number; readonly node: number; readonly clockError: ClockError },
  ) {
    this.#world = world
    this.number = number
    this.node = node
    this.machine = new MachineClock(world, clockError, (callback) => this.receive(callback))
    this.storeClock = kind === 'store' ? new StoreClock(this.machine) : null
    this.clock = this.storeClock ?? (kind === 'machine' ? this.machine : world)
  }

  get name(): string {
    return `node ${this.node + 1} (process ${this.number})`
  }

  get alive(): boolean {
    return this.#alive
  }

  get stalled(): boolean {
    return this.#stalled
  }

  get engine(): Engine {
    return this.#engine!
  }

  set engine(engine: Engine) {
    this.#engine = engine
  }

  /** Calls back as soon as the process can; never once it is dead. */
  receive(callback: () => void): void {
    if (!this.#alive) return
    if (this.#stalled || this.#deferred.length > 0) this.#deferred.push(callback)
    else callback()
  }

  /** @param suspended whether its machine is suspended as well, and with it monotonic time */
  stall(suspended: boolean): void {
    this.#stalled = true
    if (suspended) this.machine.suspend()
  }

  goOn(): void {
    if (!this.#stalled) return
    this.#stalled = false
    this.machine.resume()
    this.#drain()
  }

  kill(): void {
    this.#alive = false
    this.#deferred = []
    this.#die()
  }

  /** One by one, each with all its consequences before the next. */
  #drain(): void {
    this.#world.after(0, () => {
      if (this.#stalled || !this.#alive) return
      const next = this.#deferred.shift()
      if (next === undefined) return
      next()
      // The rest must wait for its turn, and later callbacks come after it.
      if (this.#deferred.length > 0) this.#drain()
    })
  }
}
