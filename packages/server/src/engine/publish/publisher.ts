import { BoundedMap } from '../../core/boundedMap.ts'
import type { Clock } from '../../core/clock.ts'
import type { Dialect } from '../../core/dialect.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { quotaExceeded } from '../../core/quotas.ts'
import type { LeasedDelivery } from '../../storage/rows.ts'
import type { EventToStore, PublishResult, Storage } from '../../storage/storage.ts'
import type { IdempotencyKey, PublishOutcome } from '../engine.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { PublishTrace } from '../log/tracing.ts'
import type { Loop } from '../loop.ts'
import type { SearchIndexer } from '../maintenance/searchIndexer.ts'
import type { Claimer } from '../schedule/claimer.ts'
import type { Lanes } from '../schedule/lanes.ts'
import type { Lease } from '../schedule/lease.ts'
import type { Releaser } from '../schedule/releaser.ts'
import type { EventRows } from './eventRows.ts'
import type { PublishQuotas } from './publishQuotas.ts'

interface Batch {
  readonly dialect: Dialect
  readonly events: readonly EventToStore[]
  readonly ids: readonly string[]
  readonly trace: PublishTrace | null
  readonly resolve: (outcome: PublishOutcome) => void
  readonly reject: (error: unknown) => void
}

/** The stored result of one batch. */
interface Stored {
  readonly result: PublishResult
  readonly ids: readonly string[]
  /** Whether this is the result of an earlier call under the same idempotency key. */
  readonly repeated: boolean
}

type PublishCall = Parameters<Storage['sending']['publish']>[0]

/** At most this much memory is reserved for one call of the store, in deliveries. */
const ROOM_PER_CALL = 2_000
/** For each event, memory is reserved for this many times the average deliveries of the workspace's recent events. */
const ROOM_FOR_FAN_OUT = 2
/** At least this much is reserved for a call. */
const LEAST_ROOM = 50
/** Events in one call: they take the embedded store 2 to 3 ms, during which other workspaces wait. A batch is never split. */
const EVENTS_PER_CALL = 100
/** The weight of the newest call in the mean of deliveries per event. */
const NEWEST_PART = 1 / 16
/** Beyond this, the workspace that published longest ago is forgotten. */
const MAX_WORKSPACES = 10_000
/** Within this time the fan-out loop creates some hundred thousand deliveries. */
const FANOUT_RETRY_MS = 10 * SECOND_MS

/**
 * Stores events and their deliveries. All batches of a workspace that arrive in one turn of the event loop go to the store
 * as one call, unless they are large; the store groups calls into commits. A batch under an idempotency key is a call of
 * its own.
 */
export class Publisher {
  readonly #storage: Pick<Storage, 'sending' | 'change'>
  readonly #clock: Clock
  readonly #quotas: Pick<PublishQuotas, 'use' | 'release' | 'addPending'>
  readonly #lanes: Lanes
  readonly #claimer: Pick<Claimer, 'noteBacklog'>
  readonly #releaser: Pick<Releaser, 'add'>
  readonly #fanout: Pick<Loop, 'wake'>
  readonly #searchIndexer: Pick<SearchIndexer, 'published'>
  readonly #observer: Pick<EngineObserver, 'published'>
  readonly #lease: Pick<Lease, 'nodeId'>
  readonly #maxFanout: () => number
  #waiting: Batch[] = []
  /** Deliveries per event in recent calls, by workspace. */
  readonly #fanOut = new BoundedMap<number, number>(MAX_WORKSPACES)
  #calls = new Set<Promise<void>>()

  constructor(params: {
    readonly storage: Pick<Storage, 'sending' | 'change'>
    readonly clock: Clock
    readonly quotas: Pick<PublishQuotas, 'use' | 'release' | 'addPending'>
    readonly lanes: Lanes
    readonly claimer: Pick<Claimer, 'noteBacklog'>
    readonly releaser: Pick<Releaser, 'add'>
    /** Creates the deliveries of large fan-outs. */
    readonly fanout: Pick<Loop, 'wake'>
    readonly searchIndexer: Pick<SearchIndexer, 'published'>
    readonly observer: Pick<EngineObserver, 'published'>
    readonly lease: Pick<Lease, 'nodeId'>
    /** Deliveries that a workspace may have waiting to be created. */
    readonly maxFanout: () => number
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#quotas = params.quotas
    this.#lanes = params.lanes
    this.#claimer = params.claimer
    this.#releaser = params.releaser
    this.#fanout = params.fanout
    this.#searchIndexer = params.searchIndexer
    this.#observer = params.observer
    this.#lease = params.lease
    this.#maxFanout = params.maxFanout
  }

  /** Resolves once the batch is stored durably; its first attempts start at about the same time. */
  async publish(
    dialect: Dialect,
    events: EventRows,
    idempotency: IdempotencyKey | null,
  ): Promise<PublishOutcome> {
    const exceeded = this.#quotas.use(events.rows)
    if (exceeded !== null) return exceeded
    try {
      const outcome = await this.#add(dialect, events, idempotency)
      if (outcome.outcome === 'quota_exceeded') this.#quotas.release(events.rows)
      return outcome
    } catch (error) {
      this.#quotas.release(events.rows)
      throw error
    }
  }

  /** Resolves once every publish so far is answered. */
  async drain(): Promise<void> {
    this.#flush()
    await Promise.all(this.#calls)
  }

  #add(
    dialect: Dialect,
    { rows, ids, trace }: EventRows,
    idempotency: IdempotencyKey | null,
  ): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => {
      trace?.storing()
      const batch: Batch = { dialect, events: rows, ids, trace, resolve, reject }
      if (idempotency !== null) return this.#track(this.#storeIdempotently(batch, idempotency))
      if (this.#waiting.length === 0) setImmediate(() => this.#flush())
      this.#waiting.push(batch)
    })
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    const batches = this.#waiting
    this.#waiting = []
    for (const call of callsOf(batches)) this.#track(this.#store(call))
  }

  #track(work: Promise<void>): void {
    const call = work.finally(() => this.#calls.delete(call))
    this.#calls.add(call)
  }

  #store(batches: readonly Batch[]): Promise<void> {
    return this.#call(batches, async (call) => {
      const results = await this.#storage.sending.publish(call)
      return batches.map(({ ids }, position) => ({ result: results[position]!, ids, repeated: false }))
    })
  }

  /** A repeat gets the response of the first call, with its event ids. */
  #storeIdempotently(batch: Batch, idempotency: IdempotencyKey): Promise<void> {
    return this.#call([batch], async (params) => {
      const responseData = Buffer.from(JSON.stringify(batch.ids))
      const now = this.#clock.now()
      const record = { ...idempotency, responseData, responseDataUntil: null }
      const changed = await this.#storage.change({
        call: 'publish',
        params,
        audit: null,
        idempotency: record,
        now,
      })
      const ids = changed.repeated ? parseIds(changed.responseData) : batch.ids
      return [{ result: changed.result[0]!, ids, repeated: changed.repeated }]
    })
  }

  /** Makes a call with reserved memory for deliveries, and answers each batch. */
  async #call(
    batches: readonly Batch[],
    store: (call: PublishCall) => Promise<readonly Stored[]>,
  ): Promise<void> {
    const events = batches.reduce((sum, batch) => sum + batch.events.length, 0)
    const workspaceId = workspaceOf(batches[0]!)
    const room = this.#lanes.held
      ? 0
      : Math.min(this.#lanes.memory.publishRoomOf(workspaceId), this.#roomFor(workspaceId, events))
    const { nodeId } = this.#lease
    this.#lanes.memory.promise(workspaceId, room)
    let stored: readonly Stored[]
    try {
      stored = await store({
        nodeId,
        batches: batches.map((batch) => batch.events),
        room,
        keepInStore: Array.from(this.#lanes.keptInStore(workspaceId), ({ webhookId }) => webhookId),
        maxFanout: this.#maxFanout(),
      })
    } catch (error) {
      for (const batch of batches) batch.reject(error)
      return
    } finally {
      this.#lanes.memory.promise(workspaceId, -room)
    }
    for (const [position, batch] of batches.entries()) this.#answer(batch, stored[position]!, nodeId)
  }

  /** Limited, since no other call can use reserved memory until the store has answered. */
  #roomFor(workspaceId: number, events: number): number {
    const likely = Math.ceil(events * this.#fanOutOf(workspaceId) * ROOM_FOR_FAN_OUT)
    return Math.min(Math.max(likely, LEAST_ROOM), ROOM_PER_CALL)
  }

  #fanOutOf(workspaceId: number): number {
    return this.#fanOut.get(workspaceId) ?? 1
  }

  #learnFanOut(batch: Batch, made: number): void {
    if (batch.events.length === 0) return
    const workspaceId = workspaceOf(batch)
    const before = this.#fanOutOf(workspaceId)
    this.#fanOut.set(workspaceId, before + (made / batch.events.length - before) * NEWEST_PART)
  }

  #answer(batch: Batch, { result, ids, repeated }: Stored, nodeId: number): void {
    if (result.outcome === 'id_conflict') {
      batch.resolve(result)
      return
    }
    if (result.outcome === 'fanout_full') {
      batch.resolve(quotaExceeded('uncreatedDeliveries', result.waiting, this.#maxFanout(), FANOUT_RETRY_MS))
      return
    }
    batch.trace?.stored(result.deliveries, result.late)
    this.#learnFanOut(batch, result.deliveries - result.late)
    if (batch.events.length > 0) this.#searchIndexer.published(workspaceOf(batch))
    const leased = result.leased.map((ref) => toDelivery(ref, batch.events[ref.event]!, ids[ref.event]!))
    // If the lease was lost meanwhile, other nodes attempt them.
    if (nodeId === this.#lease.nodeId) this.#releaser.add(this.#lanes.add(leased, 'publish'))
    const workspaceId = workspaceOf(batch)
    this.#claimer.noteBacklog(result.unleased.map((webhookId) => ({ webhookId, workspaceId })))
    if (result.late > 0) this.#fanout.wake()
    const fresh = batch.events.filter((_, position) => result.repeats[position] === null)
    if (!repeated) {
      this.#observer.published(batch.dialect.name, fresh.length, result.deliveries)
      if (fresh.length > 0) this.#quotas.addPending(workspaceId, result.deliveries)
    }
    batch.resolve({
      outcome: 'accepted',
      events: ids.map((id, position) => {
        const earlier = result.repeats[position] ?? null
        return { id, repeated: earlier !== null }
      }),
    })
  }
}

/** 0 for an empty batch. */
const workspaceOf = ({ events }: Batch): number => events[0]?.workspaceId ?? 0

/** Groups batches into calls of one workspace each, in their order, up to the events that a call may have. */
function callsOf(batches: readonly Batch[]): Batch[][] {
  const calls: Batch[][] = []
  const open = new Map<number, { readonly call: Batch[]; events: number }>()
  for (const batch of batches) {
    const workspaceId = workspaceOf(batch)
    let last = open.get(workspaceId)
    if (last === undefined || last.events + batch.events.length > EVENTS_PER_CALL) {
      last = { call: [], events: 0 }
      open.set(workspaceId, last)
      calls.push(last.call)
    }
    last.call.push(batch)
    last.events += batch.events.length
  }
  return calls
}

type LeasedByPublish = Extract<PublishResult, { outcome: 'accepted' }>['leased'][number]

function toDelivery(ref: LeasedByPublish, event: EventToStore, eventPublicId: string): LeasedDelivery {
  return {
    id: ref.deliveryId,
    lease: ref.lease,
    workspaceId: event.workspaceId,
    webhookId: ref.webhookId,
    webhookVersion: ref.webhookVersion,
    eventId: event.id,
    eventPublicId,
    eventType: event.type,
    body: event.body,
    createdAt: event.createdAt,
    traceparent: event.traceparent,
    attempts: 0,
    trigger: 'schedule',
    runStart: 0,
    retryNumber: null,
    replayId: null,
  }
}

function parseIds(responseData: Uint8Array | null): string[] {
  return JSON.parse(Buffer.from(responseData!).toString()) as string[]
}
