import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DeliveryRecord, Replay, Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { ReplayFilter } from '../../../src/storage/storage.ts'
import { ASKED, countAll } from './replayTools.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

const DEAD = { status: 'dead' as const, nextAttemptAt: null }
/** Few times, so that many deliveries share one and later ones are often older. */
const LAST_TIME = 3

interface Filter {
  /** Index of the webhook. */
  readonly webhook: number | null
  readonly eventType: string | null
  readonly from: number | null
  readonly to: number | null
}

type Step =
  | { readonly do: 'die'; readonly type: string; readonly time: number }
  | { readonly do: 'dieAgain'; readonly count: number }
  | { readonly do: 'ask'; readonly filter: Filter; readonly max: number }
  | { readonly do: 'step'; readonly limit: number }

/** Mostly `null`, so that most filters match something. */
const orNull = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
const type = fc.constantFrom('a', 'b')
const time = fc.nat(LAST_TIME)
const limit = fc.integer({ min: 1, max: 6 })
const filter = fc.record<Filter>({
  webhook: orNull(fc.nat(1)),
  eventType: orNull(type),
  from: orNull(time),
  to: orNull(time),
})

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('die'), type, time }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('dieAgain'), count: fc.nat(4) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('ask'), filter, max: fc.integer({ min: 1, max: 8 }) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('step'), limit }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 3, maxLength: 30 },
)

export function replayModelSuite({ world }: Subject): void {
  describe('any replays', () => {
    test('include each matching dead delivery once, whatever the steps and whatever dies in the meantime', async () => {
      await fc.assert(
        fc.asyncProperty(steps, limit, async (sequence, lastLimit) => {
          const run = await Run.start(world())
          for (const step of sequence) await run.take(step)
          await run.end(lastLimit)
        }),
        { numRuns: 60 },
      )
    }, 120_000)
  })
}

/** A delivery and the number of its last attempt. */
type Death = string

interface Asked {
  readonly replay: Replay
  readonly max: number
  /** The matches at that time, in replay order. */
  readonly deaths: readonly Death[]
}

/** Replays in a workspace, with their expected results. */
class Run {
  readonly #w: World
  readonly #workspace: Workspace
  readonly #webhooks: readonly Webhook[]
  readonly #nodeId: number
  readonly #start: number
  readonly #asked: Asked[] = []
  readonly #replayed: Death[] = []

  private constructor(w: World, workspace: Workspace, webhooks: readonly Webhook[], nodeId: number) {
    this.#w = w
    this.#workspace = workspace
    this.#webhooks = webhooks
    this.#nodeId = nodeId
    this.#start = w.now
  }

  static async start(w: World): Promise<Run> {
    const workspace = await w.workspace()
    const webhooks = [await w.webhook(workspace), await w.webhook(workspace, { eventTypes: ['a'] })]
    return new Run(w, workspace, webhooks, await w.node())
  }

  async take(step: Step): Promise<void> {
    this.#w.now += 1
    if (step.do === 'die') await this.#die(step.type, step.time)
    else if (step.do === 'dieAgain') await this.#dieAgain(step.count)
    else if (step.do === 'ask') await this.#ask(step.filter, step.max)
    else await this.#step(step.limit)
  }

  async #die(type: string, time: number): Promise<void> {
    const w = this.#w
    const event = await w.event(this.#workspace, { type, createdAt: this.#start + time })
    const { leased } = await w.publish(this.#nodeId, [event])
    await w.record(
      this.#nodeId,
      leased.map((ref) => w.failure(ref, { next: DEAD })),
    )
  }

  async #dieAgain(count: number): Promise<void> {
    const w = this.#w
    const { deliveries } = await w.claim(this.#nodeId, { limit: count })
    const results = deliveries.map(({ id: deliveryId, webhookId, attempts }) =>
      w.failure({ deliveryId, webhookId }, { attempt: { number: attempts + 1 }, next: DEAD }),
    )
    expect((await w.record(this.#nodeId, results)).lost).toEqual([])
  }

  async #ask({ webhook, eventType, from, to }: Filter, max: number): Promise<void> {
    const at = (time: number | null) => (time === null ? null : this.#start + time)
    const filter: ReplayFilter = {
      workspaceId: this.#workspace.id,
      webhookId: webhook === null ? null : this.#webhooks[webhook]!.id,
      statuses: ['dead'],
      eventTypes: eventType === null ? [] : [eventType],
      from: at(from),
      to: at(to),
    }
    const matching = (await this.#dead()).filter((delivery) => matches(delivery, filter))
    const { now, storage } = this.#w
    expect(await countAll(this.#w, filter, 7)).toEqual(matching.length)
    const asked = { ...ASKED(this.#w), ...filter, max, total: matching.length, now }
    const result = await storage.createReplay(asked)
    const { replay } = result as Extract<typeof result, { readonly outcome: 'created' }>
    this.#asked.push({ replay, max, deaths: matching.map(deathOf) })
  }

  /** @returns how many rows it visited. */
  async #step(limit: number): Promise<number> {
    const before = await this.#dead()
    const { looked } = await this.#w.storage.stepReplays({ now: this.#w.now, limit })
    expect(looked).toBeLessThanOrEqual(limit)
    const still = new Set((await this.#dead()).map(({ id }) => id))
    this.#replayed.push(...before.filter(({ id }) => !still.has(id)).map(deathOf))
    return looked
  }

  /** In replay order. */
  async #dead(): Promise<DeliveryRecord[]> {
    const dead: DeliveryRecord[] = []
    for (const webhook of this.#webhooks) dead.push(...(await this.#w.log(webhook)).reverse())
    return dead.filter(({ status }) => status === 'dead')
  }

  async end(limit: number): Promise<void> {
    await this.#w.untilDone(() => this.#step(limit))
    const taken = new Set<Death>()
    for (const { replay, max, deaths } of this.#asked) {
      const due = deaths.filter((death) => !taken.has(death)).slice(0, max)
      for (const death of due) taken.add(death)
      const { publicId } = replay
      const end = await this.#w.storage.getReplay({ workspaceId: this.#workspace.id, publicId })
      expect(end).toMatchObject({ replayed: due.length, finishedAt: expect.any(Number) })
    }
    expect([...this.#replayed].sort()).toEqual([...taken].sort())
  }
}

const deathOf = ({ id, attempts }: DeliveryRecord): Death => `${id} of ${attempts.length}`

function matches(delivery: DeliveryRecord, filter: ReplayFilter): boolean {
  return (
    (filter.webhookId === null || filter.webhookId === delivery.webhookId) &&
    (filter.eventTypes.length === 0 || filter.eventTypes.includes(delivery.eventType)) &&
    (filter.from === null || delivery.createdAt >= filter.from) &&
    (filter.to === null || delivery.createdAt < filter.to)
  )
}
