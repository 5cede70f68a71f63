import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ReceiverSpeed } from '../../src/engine/schedule/admission.ts'
import type { LaneLimits } from '../../src/engine/schedule/lanes.ts'
import type { LeasedDelivery } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { TestLanes } from './lanesFixture.ts'

interface ModelLane {
  waiting: LeasedDelivery[]
  inFlight: number
  speed: ReceiverSpeed
  loading: boolean
}

/** What the lanes promise, kept in the plainest way: look at everything each time. */
class Model {
  readonly tested: TestLanes
  readonly limits: LaneLimits
  readonly lanes = new Map<number, ModelLane>()
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
      loading: false,
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
    this.lane(webhookId).waiting.push(added)
    this.tested.put(added)
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

  /** The target of the next lane has to be loaded first. */
  load(): void {
    const next = this.tested.next()
    if (next === null) return
    expect(this.tested.block(next, 'loading')).toEqual([])
    this.lane(next.webhookId).loading = true
  }

  loaded(webhookId: number): void {
    const lane = this.tested.find(webhookId)
    if (lane === undefined) return
    this.lane(webhookId).loading = false
    this.tested.unblock(lane, 'loading')
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
    expect(this.tested.waiting).toBe(lanes.flatMap(([, lane]) => lane.waiting).length)
    expect(this.tested.memory).toEqual(this.#memory(lanes))
    expect(this.tested.inFlight).toBe(this.#inFlight(() => true))
    for (const [id, lane] of lanes) {
      const tested = this.tested.find(id)
      expect(tested?.waiting ?? 0).toBe(lane.waiting.length)
      expect(tested?.inFlight ?? 0).toBe(lane.inFlight)
      expect(this.tested.speedOf(id)).toBe(lane.speed)
      const ofWorkspace = lanes.filter(([other]) => workspaceOf(other) === workspaceOf(id))
      if (tested !== undefined) expect(tested.workspace.memory).toEqual(this.#memory(ofWorkspace))
    }
    const heavy = lanes.filter(([, { waiting, speed }]) => speed !== 'fast' && weightOf(waiting) >= 4)
    const enough = Array.from(this.tested.withEnough(4), ({ webhookId }) => webhookId)
    expect(enough.sort()).toEqual(heavy.map(([id]) => id).sort())
  }

  #memory(lanes: readonly (readonly [number, ModelLane])[]) {
    const weightWhere = (fast: boolean) =>
      weightOf(lanes.flatMap(([, lane]) => ((lane.speed === 'fast') === fast ? lane.waiting : [])))
    return { fast: weightWhere(true), unproven: weightWhere(false), promised: 0 }
  }

  #mayGo({ waiting, inFlight, speed, loading }: ModelLane): boolean {
    const { maxInFlight, maxInFlightPerWebhook } = this.limits
    const part = (eighths: number) => Math.max(1, Math.floor((maxInFlight * eighths) / 8))
    const share = { fast: maxInFlight, unknown: part(5), slow: part(4) }[speed]
    return (
      waiting.length > 0 &&
      !loading &&
      inFlight < (speed === 'unknown' ? 1 : maxInFlightPerWebhook) &&
      this.#inFlight(() => true) < maxInFlight &&
      (speed === 'fast' || this.#inFlight((lane) => lane.speed !== 'fast') < share)
    )
  }

  #inFlight(which: (lane: ModelLane) => boolean): number {
    let count = 0
    for (const lane of this.lanes.values()) if (which(lane)) count += lane.inFlight
    return count
  }
}

/** A long body counts once more for each 6,500 characters. */
function weightOf(waiting: readonly LeasedDelivery[]): number {
  return waiting.reduce((sum, { body }) => sum + 1 + Math.floor(body.length / 3250), 0)
}

const workspaceOf = (webhookId: number) => 1 + (webhookId % 3)

const webhookId = fc.integer({ min: 1, max: 6 })
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), webhookId, fc.nat({ max: 20_000 })) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('next' as const)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('finish' as const), webhookId, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('markSlow' as const), webhookId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('load' as const)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('loaded' as const), webhookId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('drop' as const), webhookId) },
)

test('hands out whatever may go, nothing else, in order, and counts it right, under any sequence of calls', () => {
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
    { numRuns: 1000 },
  )
})
