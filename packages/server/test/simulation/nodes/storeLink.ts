import type { CallParams, CallResult } from '../../../src/storage/callGroups.ts'
import { type ChangeName, type Storage, StoreUnavailableError } from '../../../src/storage/storage.ts'
import { type FlatStorage, wrapCalls } from '../../support/flatStorage.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'
import type { MemoryStore } from '../store/memoryStore.ts'
import type { Trace } from '../trace.ts'
import { ChangeLook } from './changeLook.ts'
import type { Fate, LinkCall, StoreCall } from './fates.ts'
import type { Process } from './process.ts'

type Carry = (params: unknown) => Promise<unknown>

export interface LinkParams {
  readonly clock: VirtualClock
  /** The store that nodes share: the model, or a real one. */
  readonly storage: Storage
  /** The model, if it is that. */
  readonly model: MemoryStore | null
  /** The store's own time, which nodes read with their leases. */
  readonly storeNow: () => number
  readonly trace: Trace
  readonly fateOf: (call: StoreCall) => Fate
  /** Delay of the announcement of a change to each process; `null`: nodes learn only of their own changes. */
  readonly announceMs: ((process: Process) => number) | null
  readonly onKilled: (process: Process) => void
}

/** Calls whose lost answer leaves unknown leases. */
const LEASING = new Set<LinkCall>(['claimDue', 'publish', 'change'])

/** Calls by which a process learns which receivers others reached. */
const LEARNING = new Set<LinkCall>(['readOpen', 'listOutages', 'recentlyReached'])

/** The connections of all processes to their store. */
export class StoreLinks {
  readonly #params: LinkParams
  #underWay: Promise<() => void>[] = []

  constructor(params: LinkParams) {
    this.#params = params
  }

  /** Whether calls are being carried out. */
  get busy(): boolean {
    return this.#underWay.length > 0
  }

  /**
   * Passes on the results of the calls, in order, once all are done. Until then the clock must stand still.
   */
  async settle(): Promise<void> {
    const settled = await Promise.all(this.#underWay)
    this.#underWay = []
    for (const hand of settled) hand()
  }

  /** The store as one process sees it. */
  linkOf(process: Process): FlatStorage {
    const { storage, model, trace, clock, announceMs } = this.#params
    const link = wrapCalls(storage, (name, call) => this.#linked(process, name, call as Carry))
    return {
      ...link,
      onWebhooksChanged: (listener, looked) => {
        if (model === null || announceMs === null) return
        const ask = () => this.#fate(process, 'onWebhooksChanged', null)
        new ChangeLook({ process, clock, trace, model, ask, announceMs, listener, looked }).start()
      },
    }
  }

  #linked(process: Process, call: LinkCall, carryOut: Carry): Carry {
    return (params) =>
      new Promise((resolve, reject) => {
        if (process.alive) this.#call(process, call, () => carryOut(params), params, resolve, reject)
      })
  }

  #call(
    process: Process,
    call: LinkCall,
    carryOut: () => Promise<unknown>,
    params: unknown,
    resolve: (result: unknown) => void,
    reject: (error: unknown) => void,
  ): void {
    const { clock, trace, onKilled } = this.#params
    this.#checkTime(process, call, params)
    const change = call === 'change' ? (params as { call: ChangeName }).call : null
    const fate = this.#fate(process, call, change)
    const calledAt = clock.monotonic()
    const askedAt = process.clock.monotonic()
    const { effectMs, answerMs, answers } = fate
    if (answers === 'nothing' && effectMs === null) {
      onKilled(process)
      return
    }
    if (answers === 'error') {
      const broke = new StoreUnavailableError('the way to the store broke')
      clock.after(answerMs, () =>
        process.receive(() => {
          if (LEARNING.has(call)) trace.note({ kind: 'learned', process: process.number, webhookIds: null })
          reject(broke)
        }),
      )
    }
    if (effectMs === null) return
    clock.after(effectMs, () => {
      const effect = this.#takeEffect(process, call, carryOut, fate)
      this.#underWay.push(
        effect.then((outcome) => () => {
          if (answers === 'nothing') onKilled(process)
          if (answers !== 'result') return
          const answer = () => {
            if (!outcome.failed) this.#note(process, call, params, outcome, askedAt)
            if (outcome.failed) reject(outcome.error)
            else resolve(outcome.result)
          }
          const leftMs = calledAt + answerMs - clock.monotonic()
          if (leftMs <= 0) process.receive(answer)
          else clock.after(leftMs, () => process.receive(answer))
        }),
      )
    })
  }

  async #takeEffect(
    process: Process,
    call: LinkCall,
    carryOut: () => Promise<unknown>,
    { answers, twice }: Fate,
  ): Promise<Outcome> {
    const { model, storeNow } = this.#params
    if (call === 'claimDue' && model !== null && process.doubtful.size > 0) {
      model.freeDoubtful(process.doubtful)
      process.doubtful.clear()
    }
    const before = model?.lastLease ?? 0
    const storeAt = storeNow()
    try {
      // The model does it within this call, so its leases can be identified.
      const first = carryOut()
      if (answers !== 'result' && model !== null && LEASING.has(call))
        for (let lease = before + 1; lease <= model.lastLease; lease++) process.doubtful.add(lease)
      const result = twice ? await first.then(carryOut) : await first
      return { failed: false, result, storeAt }
    } catch (error) {
      return { failed: true, error }
    }
  }

  /** Records the new knowledge of the process. */
  #note(
    process: Process,
    call: LinkCall,
    params: unknown,
    { result, storeAt }: Succeeded,
    askedAt: number,
  ): void {
    const { trace } = this.#params
    const { number } = process
    if (call === 'registerNode' || call === 'renewNode') {
      const { leaseMs, nodeId } = params as { leaseMs: number; nodeId?: number }
      const registered = call === 'registerNode' ? (result as { nodeId: number }).nodeId : nodeId!
      process.storeClock?.set(storeAt, askedAt)
      if (call === 'registerNode') trace.note({ kind: 'registered', process: number, nodeId: registered })
      const until = result === false ? Number.NEGATIVE_INFINITY : askedAt + leaseMs
      trace.note({ kind: 'leaseValid', process: number, until })
    } else if (call === 'recordAttempts') {
      const { results } = params as CallParams<'recordAttempts'>
      trace.note({ kind: 'recordAnswered', process: number, results })
    } else if (call === 'recentlyReached' && (params as CallParams<'recentlyReached'>).since !== null) {
      const webhookIds = (result as CallResult<'recentlyReached'>).map(({ webhookId }) => webhookId)
      trace.note({ kind: 'learned', process: number, webhookIds })
    }
  }

  /** By these calls nodes decide which deliveries are due and how long a webhook has failed. */
  #checkTime(process: Process, call: LinkCall, params: unknown): void {
    if (call !== 'claimDue' && call !== 'recordAttempts') return
    const byMs = (params as { readonly now: number }).now - process.clock.now()
    if (byMs !== 0) this.#params.trace.note({ kind: 'wrongTime', process: process.number, call, byMs })
  }

  #fate(process: Process, call: LinkCall, change: ChangeName | null): Fate {
    const { clock, fateOf, trace } = this.#params
    const number = call === 'onWebhooksChanged' ? -1 : process.calls++
    const at = clock.monotonic()
    const fate = fateOf({ process: process.number, node: process.node, call, change, number, at })
    if (fate.text !== '')
      trace.note({ kind: 'fault', text: `${process.name}: ${change ?? call} ${fate.text}` })
    return fate
  }
}

interface Succeeded {
  readonly failed: false
  readonly result: unknown
  readonly storeAt: number
}

type Outcome = Succeeded | { readonly failed: true; readonly error: unknown }
