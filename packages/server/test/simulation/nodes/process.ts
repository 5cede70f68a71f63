import type { Clock } from '../../../src/core/clock.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { StoreClock } from '../../../src/storage/postgres/storeClock.ts'
import { type ClockError, MachineClock } from '../clock/machineClock.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'

/**
 * By which clock an engine goes: the simulation's own, which no fault touches; its machine's, as with an embedded store;
 * or the store's, which nodes that share a database learn with each renewal of their leases.
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
  /** Leases of whose making this process never heard. */
  readonly doubtful = new Set<number>()
  /** Calls of the store made so far. */
  calls = 0
  /** Requests sent so far. */
  requests = 0
  #engine: Engine | null = null
  #alive = true
  #stalled = false
  /** What waits until the process goes on. */
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

  /** Calls back as soon as the process can; not at all once it is dead. */
  receive(callback: () => void): void {
    if (!this.#alive) return
    if (this.#stalled || this.#deferred.length > 0) this.#deferred.push(callback)
    else callback()
  }

  /** @param suspended whether its machine stands still as well, and with it monotonic time */
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

  /** One by one, each with all that follows from it before the next. */
  #drain(): void {
    this.#world.after(0, () => {
      if (this.#stalled || !this.#alive) return
      const next = this.#deferred.shift()
      if (next === undefined) return
      next()
      // What is left has to wait for its turn, and whatever comes meanwhile goes behind it.
      if (this.#deferred.length > 0) this.#drain()
    })
  }
}
