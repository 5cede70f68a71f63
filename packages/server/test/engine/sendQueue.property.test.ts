import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SendQueue, type SendQueueLimits } from '../../src/engine/schedule/sendQueue.ts'
import type { Standing } from '../../src/engine/schedule/standings.ts'
import type { LeasedDelivery } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { ManualClock } from '../support/manualClock.ts'

interface Line {
  waiting: LeasedDelivery[]
  inFlight: LeasedDelivery[]
  standing: Standing
}

/** What the queue promises, kept in the plainest way: look at everything each time. */
class Model {
  readonly queue: SendQueue
  readonly limits: SendQueueLimits
  readonly lines = new Map<number, Line>()
  #nextId = 1

  constructor(limits: SendQueueLimits) {
    this.limits = limits
    this.queue = new SendQueue({ limits, hangMs: 15_000, clock: new ManualClock(), hasBacklog: () => false })
  }

  line(webhookId: number): Line {
    const line = this.lines.get(webhookId) ?? { waiting: [], inFlight: [], standing: 'untried' as const }
    this.lines.set(webhookId, line)
    return line
  }

  add(webhookId: number, length: number): void {
    const added = delivery({
      id: this.#nextId++,
      webhookId,
      workspaceId: 1 + (webhookId % 3),
      body: 'x'.repeat(length),
    })
    this.line(webhookId).waiting.push(added)
    this.queue.add(added)
  }

  next(): void {
    const may = [...this.lines.values()].filter((line) => this.#mayGo(line))
    const taken = this.queue.next()
    if (taken === null) {
      expect(may).toEqual([])
      return
    }
    const line = this.line(taken.webhookId)
    expect(may).toContain(line)
    expect(line.waiting.shift()).toBe(taken)
    line.inFlight.push(taken)
  }

  putBack(webhookId: number): void {
    const line = this.line(webhookId)
    const taken = line.inFlight.pop()
    if (taken === undefined) return
    line.waiting.unshift(taken)
    this.queue.putBack(taken)
  }

  finish(webhookId: number, prompt: boolean): void {
    const line = this.line(webhookId)
    if (line.inFlight.shift() === undefined) return
    line.standing = prompt ? 'prompt' : 'slow'
    this.queue.finished(webhookId, prompt)
  }

  markSlow(webhookId: number): void {
    const line = this.line(webhookId)
    if (line.inFlight.length === 0) return
    line.standing = 'slow'
    this.queue.markSlow(webhookId)
  }

  drop(webhookId: number): void {
    expect(this.queue.drop(webhookId)).toEqual(this.line(webhookId).waiting.splice(0))
  }

  dropAll(): void {
    const all = [...this.lines.values()].flatMap((line) => line.waiting.splice(0))
    expect(new Set(this.queue.dropAll())).toEqual(new Set(all))
  }

  check(): void {
    const lines = [...this.lines]
    const waiting = lines.flatMap(([, line]) => line.waiting)
    expect(this.queue.size).toBe(waiting.length)
    expect(this.queue.weight).toBe(weightOf(waiting))
    const unproven = lines.filter(([, line]) => line.standing !== 'prompt')
    expect(this.queue.unprovenWeight).toBe(weightOf(unproven.flatMap(([, line]) => line.waiting)))
    for (const workspaceId of [1, 2, 3]) this.#checkWeightsOf(workspaceId)
    expect(this.queue.inFlight).toBe(this.#inFlight(() => true))
    for (const [id, line] of lines) {
      expect(this.queue.waitingOf(id)).toBe(line.waiting.length)
      expect(this.queue.standingOf(id)).toBe(line.standing)
    }
    const heavy = lines
      .filter(([, { waiting, standing }]) => weightOf(waiting) >= (standing === 'prompt' ? 2 : 4))
      .map(([id]) => id)
    expect(this.queue.withAtLeast(2, 4).sort()).toEqual(heavy.sort())
  }

  #checkWeightsOf(workspaceId: number): void {
    const ofWorkspace = (lines: readonly Line[]) =>
      weightOf(lines.flatMap(({ waiting }) => waiting).filter((one) => one.workspaceId === workspaceId))
    const lines = [...this.lines.values()]
    const expected = {
      prompt: ofWorkspace(lines.filter(({ standing }) => standing === 'prompt')),
      unproven: ofWorkspace(lines.filter(({ standing }) => standing !== 'prompt')),
      any: ofWorkspace(lines),
    }
    for (const proof of ['prompt', 'unproven'] as const) {
      expect(this.queue.weightOfWorkspace(workspaceId, proof)).toBe(expected[proof])
      for (const least of [1, 2, 4])
        expect(this.queue.workspacesWithAtLeast(least, proof).includes(workspaceId)).toBe(
          expected[proof] >= least,
        )
    }
    expect(this.queue.weightOfWorkspace(workspaceId, 'any')).toBe(expected.any)
  }

  #mayGo({ waiting, inFlight, standing }: Line): boolean {
    const { maxInFlight, maxInFlightPerWebhook } = this.limits
    const part = (eighths: number) => Math.max(1, Math.floor((maxInFlight * eighths) / 8))
    const share = { prompt: maxInFlight, untried: part(5), slow: part(4) }[standing]
    return (
      waiting.length > 0 &&
      inFlight.length < (standing === 'untried' ? 1 : maxInFlightPerWebhook) &&
      this.#inFlight(() => true) < maxInFlight &&
      (standing === 'prompt' || this.#inFlight((line) => line.standing !== 'prompt') < share)
    )
  }

  #inFlight(which: (line: Line) => boolean): number {
    let count = 0
    for (const line of this.lines.values()) if (which(line)) count += line.inFlight.length
    return count
  }
}

/** A long body counts once more for each 6,500 characters. */
function weightOf(waiting: readonly LeasedDelivery[]): number {
  return waiting.reduce((sum, { body }) => sum + 1 + Math.floor(body.length / 3250), 0)
}

const webhookId = fc.integer({ min: 1, max: 6 })
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), webhookId, fc.nat({ max: 20_000 })) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('next' as const)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('finish' as const), webhookId, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('markSlow' as const), webhookId) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('putBack' as const), webhookId) },
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
