import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ReceiverSpeed } from '../../src/engine/schedule/admission.ts'
import type { BlockReason } from '../../src/engine/schedule/lane.ts'
import type { LaneLimits } from '../../src/engine/schedule/lanes.ts'
import type { LeasedDelivery } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { TestLanes } from './lanesFixture.ts'

interface ModelLane {
  waiting: LeasedDelivery[]
  inFlight: number
  speed: ReceiverSpeed
  readonly blocks: Set<BlockReason>
  /** The claim during which the store was last known to hold deliveries. */
  backlogSince: number | null
}

/** The behavior of lanes in its simplest form: it checks everything each time. */
class Model {
  readonly tested: TestLanes
  readonly limits: LaneLimits
  readonly lanes = new Map<number, ModelLane>()
  readonly promised = new Map<number, number>()
  #claims = 0
  #nextId = 1

  constructor(limits: LaneLimits) {
    this.limits = limits
    this.tested = new TestLanes(limits)
  }

  lane(webhookId: number): ModelLane {
    const lane = this.lanes.get(webhookId) ?? {
      waiting: [],
      inFlight: 0,
      speed: 'unknown' as const,
      blocks: new Set<BlockReason>(),
      backlogSince: null,
    }
    this.lanes.set(webhookId, lane)
    return lane
  }

  add(webhookId: number, length: number): void {
    const added = delivery({
      id: this.#nextId++,
      webhookId,
      workspaceId: workspaceOf(webhookId),
      body: 'x'.repeat(length),
    })
    const lane = this.lane(webhookId)
    if (isClosed(lane)) {
      expect(this.tested.add([added], 'publish')).toEqual([added])
      lane.backlogSince = this.#claims
    } else {
      lane.waiting.push(added)
      this.tested.put(added)
    }
  }

  next(): void {
    const may = [...this.lanes.values()].filter((lane) => this.#mayGo(lane))
    const taken = this.tested.takeNext()
    if (taken === null) {
      expect(may).toEqual([])
      return
    }
    const lane = this.lane(taken.webhookId)
    expect(may).toContain(lane)
    expect(lane.waiting.shift()).toBe(taken)
    lane.inFlight++
  }

  /** The target of the next lane must be loaded first. */
  load(): void {
    const next = this.tested.next()
    if (next === null) return
    expect(this.tested.block(next, 'loading')).toEqual([])
    this.lane(next.webhookId).blocks.add('loading')
  }

  block(webhookId: number, reason: BlockReason): void {
    const lane = this.tested.find(webhookId)
    if (lane === undefined) return
    const { blocks, waiting } = this.lane(webhookId)
    expect(this.tested.block(lane, reason)).toEqual(reason === 'loading' ? [] : waiting.splice(0))
    blocks.add(reason)
  }

  unblock(webhookId: number, reason: BlockReason): void {
    const lane = this.tested.find(webhookId)
    if (lane === undefined) return
    this.lane(webhookId).blocks.delete(reason)
    this.tested.unblock(lane, reason)
  }

  change(webhookId: number): void {
    this.lane(webhookId).blocks.delete('unsendable')
    this.tested.changed(webhookId)
  }

  note(webhookId: number): void {
    this.lane(webhookId).backlogSince = this.#claims
    this.tested.noteBacklog(this.tested.of({ webhookId, workspaceId: workspaceOf(webhookId) }))
  }

  claim(): void {
    this.#claims++
    this.tested.claimBegins()
  }

  /** Up to this webhook. */
  catchUp(last: number): void {
    for (const [webhookId, lane] of this.lanes)
      if (webhookId <= last && (lane.backlogSince ?? this.#claims) < this.#claims) lane.backlogSince = null
    this.tested.caughtUp(({ webhookId }) => webhookId <= last)
  }

  promise(webhookId: number, count: number): void {
    const workspaceId = workspaceOf(webhookId)
    const before = this.promised.get(workspaceId) ?? 0
    // Earlier promises have been used in the meantime.
    this.tested.memory.promise(workspaceId, -before)
    this.tested.memory.promise(workspaceId, count)
    this.promised.set(workspaceId, count)
  }

  finish(webhookId: number, fast: boolean): void {
    const lane = this.lane(webhookId)
    if (lane.inFlight === 0) return
    lane.inFlight--
    lane.speed = fast ? 'fast' : 'slow'
    this.tested.end(webhookId, fast)
  }

  markSlow(webhookId: number): void {
    const lane = this.lane(webhookId)
    if (lane.inFlight === 0) return
    lane.speed = 'slow'
    this.tested.slow(webhookId)
  }

  drop(webhookId: number): void {
    const expected = this.lane(webhookId).waiting.splice(0)
    expect(this.tested.find(webhookId) === undefined ? [] : this.tested.dropOf(webhookId)).toEqual(expected)
  }

  dropAll(): void {
    for (const lane of this.lanes.values()) lane.waiting = []
    this.tested.dropAll()
  }

  check(): void {
    const lanes = [...this.lanes]
    expect(this.tested.memory.waiting).toBe(lanes.flatMap(([, lane]) => lane.waiting).length)
    const promised = [...this.promised.values()].reduce((sum, count) => sum + count, 0)
    expect(this.tested.memory.totals).toEqual(this.#memory(lanes, promised))
    expect(this.tested.inFlight).toBe(this.#inFlight(() => true))
    for (const [id, lane] of lanes) {
      const tested = this.tested.find(id)
      expect(tested?.waiting ?? 0).toBe(lane.waiting.length)
      expect(tested?.inFlight ?? 0).toBe(lane.inFlight)
      expect(this.tested.speedOf(id)).toBe(lane.speed)
      expect([...(tested?.blocks ?? [])].sort()).toEqual([...lane.blocks].sort())
      if (this.#waitsForTurn(lane)) expect(tested!.queued).toBe(true)
      const ofWorkspace = lanes.filter(([other]) => workspaceOf(other) === workspaceOf(id))
      const promised = this.promised.get(workspaceOf(id)) ?? 0
      if (tested !== undefined) expect(tested.workspace.memory).toEqual(this.#memory(ofWorkspace, promised))
      expect(kept(this.tested.keptInStore(workspaceOf(id)))).toEqual(keptOf(ofWorkspace))
    }
    expect(kept(this.tested.keptInStore())).toEqual(keptOf(lanes))
    const heavy = lanes.filter(([, { waiting, speed }]) => speed !== 'fast' && weightOf(waiting) >= 4)
    const enough = Array.from(this.tested.memory.withEnough(4), ({ webhookId }) => webhookId)
    expect(enough.sort()).toEqual(heavy.map(([id]) => id).sort())
  }

  #memory(lanes: readonly (readonly [number, ModelLane])[], promised: number) {
    const weightWhere = (fast: boolean) =>
      weightOf(lanes.flatMap(([, lane]) => ((lane.speed === 'fast') === fast ? lane.waiting : [])))
    return { fast: weightWhere(true), unproven: weightWhere(false), promised }
  }

  #waitsForTurn({ waiting, inFlight, speed, blocks }: ModelLane): boolean {
    const slots = speed === 'unknown' ? 1 : this.limits.maxInFlightPerWebhook
    return waiting.length > 0 && blocks.size === 0 && inFlight < slots
  }

  #mayGo(lane: ModelLane): boolean {
    const { maxInFlight } = this.limits
    const part = (eighths: number) => Math.max(1, Math.floor((maxInFlight * eighths) / 8))
    const share = { fast: maxInFlight, unknown: part(5), slow: part(4) }[lane.speed]
    return (
      this.#waitsForTurn(lane) &&
      this.#inFlight(() => true) < maxInFlight &&
      (lane.speed === 'fast' || this.#inFlight(({ speed }) => speed !== 'fast') < share)
    )
  }

  #inFlight(which: (lane: ModelLane) => boolean): number {
    let count = 0
    for (const lane of this.lanes.values()) if (which(lane)) count += lane.inFlight
    return count
  }
}

const isClosed = ({ blocks }: ModelLane) => blocks.has('unsendable') || blocks.has('disabling')

const kept = (lanes: Iterable<{ readonly webhookId: number }>) =>
  Array.from(lanes, ({ webhookId }) => webhookId).sort()

const keptOf = (lanes: readonly (readonly [number, ModelLane])[]) =>
  lanes
    .filter(([, lane]) => isClosed(lane) || lane.backlogSince !== null)
    .map(([id]) => id)
    .sort()

/** A long body counts once more for each 3,250 characters. */
function weightOf(waiting: readonly LeasedDelivery[]): number {
  return waiting.reduce((sum, { body }) => sum + 1 + Math.floor(body.length / 3250), 0)
}

const workspaceOf = (webhookId: number) => 1 + (webhookId % 3)

const webhookId = fc.integer({ min: 1, max: 6 })
const closing = fc.constantFrom<BlockReason>('unsendable', 'disabling')
const ending = fc.constantFrom<BlockReason>('loading', 'disabling')
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), webhookId, fc.nat({ max: 20_000 })) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('next' as const)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('finish' as const), webhookId, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('markSlow' as const), webhookId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('load' as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('block' as const), webhookId, closing) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('unblock' as const), webhookId, ending) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('change' as const), webhookId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('note' as const), webhookId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('claim' as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('catchUp' as const), webhookId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('promise' as const), webhookId, fc.nat({ max: 500 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('drop' as const), webhookId) },
)

test('returns exactly what may be sent, in order, and counts it correctly, under any sequence of calls', () => {
  fc.assert(
    fc.property(
      fc.record({
        maxInFlight: fc.integer({ min: 1, max: 16 }),
        maxInFlightPerWebhook: fc.integer({ min: 1, max: 4 }),
      }),
      fc.array(operation, { maxLength: 200 }),
      (limits, operations) => {
        const model = new Model(limits)
        for (const [name, ...args] of operations) {
          ;(model[name] as (...args: readonly unknown[]) => void).apply(model, args)
          model.check()
        }
        model.dropAll()
        model.check()
      },
    ),
    { numRuns: 400 },
  )
})
