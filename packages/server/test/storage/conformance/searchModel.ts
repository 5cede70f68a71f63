import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../src/core/delivery.ts'
import type { StatusCodes } from '../../../src/core/statusCodes.ts'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { DeliveryFilter, DeliveryPosition, LeasedRef } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

const TYPES = ['a', 'b'] as const
/** Few times, so that many deliveries share one and later ones are often older. */
const LAST_TIME = 5

/** The result of a delivery, and its status then. */
const BECOMES = {
  untried: 'pending',
  retrying: 'pending',
  resent: 'pending',
  delivered: 'delivered',
  failed: 'failed',
  dead: 'dead',
} as const satisfies Record<string, DeliveryStatus>

interface Arrival {
  readonly type: string
  readonly time: number
  readonly becomes: keyof typeof BECOMES
  /** What the receiver answered, if it succeeded. */
  readonly success: number
  /** The same, if it did not; `null`: nothing. */
  readonly failure: number | null
}

const arrivals = fc.array(
  fc.record<Arrival>({
    type: fc.constantFrom(...TYPES),
    time: fc.nat(LAST_TIME),
    becomes: fc.constantFrom(...(Object.keys(BECOMES) as (keyof typeof BECOMES)[])),
    success: fc.constantFrom(200, 204),
    failure: fc.constantFrom(null, 302, 404, 503),
  }),
  { maxLength: 8 },
)
/** Mostly `null`, so that most filters match something. */
const orNull = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

interface Filter {
  /** Index of the webhook. */
  readonly webhook: number | null
  readonly status: DeliveryStatus | null
  readonly eventTypes: readonly string[] | null
  readonly statusCodes: StatusCodes | null
  /** Index of the event. */
  readonly event: number | null
  readonly from: number | null
  readonly to: number | null
}

interface Search {
  readonly filter: Filter
  readonly limit: number
  /** Deliveries that arrive after the first page, after the second, … */
  readonly meanwhile: readonly (readonly Arrival[])[]
}

const searches = fc.record<Search>({
  filter: fc.record({
    webhook: orNull(fc.nat(2)),
    status: orNull(fc.constantFrom(...DELIVERY_STATUSES)),
    eventTypes: orNull(fc.subarray([...TYPES], { minLength: 1 })),
    statusCodes: orNull(
      fc.constantFrom<StatusCodes[]>(
        'none',
        { from: 200, to: 299 },
        { from: 204, to: 204 },
        { from: 400, to: 499 },
        { from: 503, to: 503 },
      ),
    ),
    event: orNull(fc.nat(8)),
    from: orNull(fc.nat(LAST_TIME)),
    to: orNull(fc.nat(LAST_TIME)),
  }),
  limit: fc.integer({ min: 1, max: 5 }),
  meanwhile: fc.array(arrivals, { maxLength: 4 }),
})

export function searchModelSuite({ world }: Subject): void {
  describe('any search', () => {
    test('finds each match exactly once, newest first, while others arrive', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(arrivals, arrivals, orNull(fc.nat(2)), fc.array(searches, { minLength: 1, maxLength: 4 })),
          async ([early, late, disabled, wanted]) => {
            const w = world()
            // A search reads a limited number of outcomes that are not indexed yet, also those of earlier
            // runs.
            for (let more = true; more; ) more = (await w.storage.indexCodes({ limit: 1_000 })).more
            const run = await Run.start(w)
            await run.arrive(early)
            if (disabled !== null) await run.disableAndEnable(disabled)
            await run.arrive(late)
            for (const search of wanted) await run.search(search)
          },
        ),
        { numRuns: 100 },
      )
    }, 120_000)
  })
}

interface Known {
  readonly id: number
  readonly eventId: number
  readonly webhookId: number
  readonly type: string
  readonly createdAt: number
  /** Of the latest attempt; `undefined`: there was none. */
  readonly code: number | null | undefined
  status: DeliveryStatus
}

/** A workspace with a plain list next to the store. */
class Run {
  readonly #w: World
  readonly #workspace: Workspace
  readonly #webhooks: readonly Webhook[]
  readonly #nodeId: number
  readonly #known: Known[] = []

  private constructor(w: World, workspace: Workspace, webhooks: readonly Webhook[], nodeId: number) {
    this.#w = w
    this.#workspace = workspace
    this.#webhooks = webhooks
    this.#nodeId = nodeId
  }

  static async start(w: World): Promise<Run> {
    const workspace = await w.workspace()
    const webhooks = []
    for (const eventTypes of [[], ['a'], []]) webhooks.push(await w.webhook(workspace, { eventTypes }))
    return new Run(w, workspace, webhooks, await w.node())
  }

  async arrive(events: readonly Arrival[]): Promise<void> {
    const w = this.#w
    for (const arrival of events) {
      const { type, time, becomes } = arrival
      const createdAt = w.now + time
      const event = await w.event(this.#workspace, { type, createdAt })
      const { leased } = await w.publish(this.#nodeId, [event])
      const results = becomes === 'untried' ? [] : leased.map((ref) => this.#result(ref, arrival))
      if (results.length > 0) await w.record(this.#nodeId, results)
      for (const [index, { deliveryId: id, webhookId }] of leased.entries()) {
        const code = results[index]?.attempt.statusCode
        const status = BECOMES[becomes]
        this.#known.push({ id, eventId: event.id, webhookId, type, createdAt, code, status })
        if (becomes === 'resent') await this.#resend(id)
      }
    }
  }

  #result(ref: LeasedRef, { becomes, success, failure }: Arrival) {
    if (becomes === 'delivered' || becomes === 'resent') return this.#w.success(ref, { statusCode: success })
    const attempt = { statusCode: failure }
    if (becomes !== 'failed' && becomes !== 'dead') return this.#w.failure(ref, { attempt })
    return this.#w.failure(ref, { attempt, next: { status: becomes, nextAttemptAt: null } })
  }

  async #resend(deliveryId: number): Promise<void> {
    const { outcome } = await this.#w.storage.resend({
      workspaceId: this.#workspace.id,
      deliveryId,
      trigger: 'redeliver',
      from: ['delivered'],
      limit: null,
      now: this.#w.now,
    })
    expect(outcome).toBe('accepted')
  }

  async disableAndEnable(index: number): Promise<void> {
    const webhook = this.#webhooks[index]!
    await this.#w.update(webhook, { status: 'off' })
    await this.#w.update(webhook, { status: 'on' })
    for (const delivery of this.#known)
      if (delivery.webhookId === webhook.id && delivery.status === 'pending') delivery.status = 'canceled'
  }

  async search({ filter, limit, meanwhile }: Search): Promise<void> {
    const wanted = this.#wanted(filter)
    const matching = () => this.#known.filter((delivery) => matches(delivery, wanted))
    const due = new Set(matching().map(({ id }) => id))
    const found: Known[] = []
    let before: DeliveryPosition | null = null
    for (let pages = 0; ; pages++) {
      const page: Awaited<ReturnType<World['storage']['searchDeliveries']>> =
        await this.#w.storage.searchDeliveries({ ...wanted, limit, before })
      expect(page.deliveries.length).toBeLessThanOrEqual(limit)
      for (const { id, eventId, webhookId, eventType: type, createdAt, attempts, status } of page.deliveries)
        found.push({ id, eventId, webhookId, type, createdAt, code: attempts.at(-1)?.statusCode, status })
      if (page.next === null) break
      before = page.next
      await this.arrive(meanwhile[pages] ?? [])
      // A delivery that arrives among those already searched is too late for it.
      for (const delivery of matching()) if (isOlder(delivery, before)) due.add(delivery.id)
    }
    const all = matching().sort((a, b) => (isOlder(a, b) ? 1 : -1))
    expect(found).toEqual(all.filter(({ id }) => due.has(id)))
  }

  #wanted({ webhook, status, eventTypes, statusCodes, event, from, to }: Filter): DeliveryFilter {
    const events = [
      ...new Map(this.#known.map(({ eventId: id, createdAt }) => [id, { id, createdAt }])).values(),
    ]
    const time = (offset: number | null) => (offset === null ? null : this.#w.now + offset)
    return {
      workspaceId: this.#workspace.id,
      webhookId: webhook === null ? null : this.#webhooks[webhook]!.id,
      status,
      eventTypes,
      text: null,
      deliveryId: null,
      statusCodes,
      event: event === null ? null : (events[event] ?? { id: 12_345_678, createdAt: this.#w.now }),
      from: time(from),
      to: time(to),
    }
  }
}

function matches(delivery: Known, filter: DeliveryFilter): boolean {
  return (
    (filter.webhookId === null || filter.webhookId === delivery.webhookId) &&
    (filter.status === null || filter.status === delivery.status) &&
    (filter.eventTypes === null || filter.eventTypes.includes(delivery.type)) &&
    (filter.statusCodes === null || hasCode(delivery, filter.statusCodes)) &&
    (filter.event === null || filter.event.id === delivery.eventId) &&
    (filter.from === null || delivery.createdAt >= filter.from) &&
    (filter.to === null || delivery.createdAt < filter.to)
  )
}

function hasCode({ code }: Known, codes: StatusCodes): boolean {
  if (code === undefined) return false
  if (codes === 'none' || code === null) return codes === 'none' && code === null
  return codes.from <= code && code <= codes.to
}

function isOlder(a: DeliveryPosition, b: DeliveryPosition): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt
}
