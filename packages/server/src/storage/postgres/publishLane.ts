import { SECOND_MS } from '../../core/duration.ts'
import { Turns } from '../../core/turns.ts'
import { type PublishResult, StoreUnavailableError } from '../storage.ts'
import { workspaceOf } from '../workspaceOf.ts'
import { carryOut } from './call.ts'
import { isDiskFull, toStoreError } from './failures.ts'
import type { PublishCall } from './queries/newEvents.ts'
import { type Publish, prepareDays } from './queries/publish.ts'
import type { Store } from './store.ts'

/** Two: while one group is being committed, the next is already on its way. */
const GROUPS_AT_ONCE = 2
/** Events in one commit, for which other workspaces wait; a call with more is a group of its own. */
const MAX_EVENTS = 200
/** Calls that waited this long are rejected together with a group that failed because the store was unavailable. */
const PATIENCE_MS = 2 * SECOND_MS
/** After a publish found the disk full, it counts as full for this long, or until a publish succeeds. */
const FULL_FOR_MS = 10 * SECOND_MS

interface Waiting {
  readonly call: PublishCall
  readonly events: number
  /** Monotonic time. */
  readonly since: number
  readonly resolve: (results: readonly PublishResult[]) => void
  readonly reject: (error: Error) => void
}

/** Stores publishes in groups: a commit costs a disk sync however many events it holds. */
export class PublishLane {
  readonly #store: Store
  readonly #publish: Publish
  readonly #waiting = new Turns<Waiting>()
  #running = 0
  #fullUntil = 0

  constructor(store: Store, publish: Publish) {
    this.#store = store
    this.#publish = publish
  }

  call(call: PublishCall): Promise<readonly PublishResult[]> {
    const events = call.batches.reduce((sum, batch) => sum + batch.length, 0)
    return new Promise((resolve, reject) => {
      const since = this.#store.machineClock.monotonic()
      this.#waiting.add(workspaceOf('publish', call), { call, events, since, resolve, reject })
      this.#pump()
    })
  }

  /**
   * Rows are updated in place without more space, so only a publish finds out whether the disk is full. @throws
   * StoreUnavailableError
   */
  check(): void {
    if (this.#store.machineClock.monotonic() < this.#fullUntil)
      throw new StoreUnavailableError('the last publish found the disk full')
  }

  #pump(): void {
    while (this.#running < GROUPS_AT_ONCE && !this.#waiting.empty) {
      const group = this.#nextGroup()
      this.#running++
      void this.#run(group).finally(() => {
        this.#running--
        this.#pump()
      })
    }
  }

  /** Takes calls in turns over workspaces, while they are of one node id and have not too many events. */
  #nextGroup(): Waiting[] {
    const first = this.#waiting.next()!
    const group = [first]
    let { events } = first
    for (;;) {
      const next = this.#waiting.peek()
      if (next === undefined || next.call.nodeId !== first.call.nodeId) return group
      events += next.events
      if (events > MAX_EVENTS) return group
      group.push(this.#waiting.next()!)
    }
  }

  /** If one call makes the group fail, each is tried separately, so that only that call fails. */
  async #run(group: readonly Waiting[]): Promise<void> {
    try {
      const calls = group.map(({ call }) => call)
      const results = await this.#storeCalls(calls)
      this.#fullUntil = 0
      for (const [at, { resolve }] of group.entries()) resolve(results[at]!)
    } catch (error) {
      const storeError = toStoreError(error)
      if (isDiskFull(storeError)) this.#fullUntil = this.#store.machineClock.monotonic() + FULL_FOR_MS
      if (storeError instanceof StoreUnavailableError)
        for (const { reject } of [...group, ...this.#takeImpatient()]) reject(storeError)
      else if (group.length === 1) group[0]!.reject(storeError)
      else for (const one of group) await this.#run([one])
    }
  }

  #takeImpatient(): Waiting[] {
    const before = this.#store.machineClock.monotonic() - PATIENCE_MS
    return this.#waiting.takeAll(({ since }) => since <= before)
  }

  async #storeCalls(calls: readonly PublishCall[]): Promise<readonly (readonly PublishResult[])[]> {
    return carryOut(
      this.#store,
      {
        pool: 'hot',
        isolation: 'write',
        prepare: () => prepareDays(this.#store, calls),
        quick: () => (tx) => this.#publish.alone(tx, calls),
        run: (tx) => this.#publish.within(tx, calls),
      },
      null,
    )
  }
}
