import fc from 'fast-check'
import { expect } from 'vitest'
import { ATTEMPT_ERROR_CODES } from '../../../src/core/delivery.ts'
import { attemptText, EVENTS_COUNTER } from '../../../src/core/stats/counters.ts'
import { deliveriesOf } from '../../../src/core/stats/summary.ts'
import { addTally, readCounts, type Tally } from '../../../src/core/stats/tally.ts'
import { type StatsScope, startOf, UNIT_MS } from '../../../src/core/stats/units.ts'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { AttemptToRecord } from '../../../src/storage/storage.ts'
import { countsOf, ended, expected, rollUpAll, statsOf, withoutEnds } from './statsCounts.ts'
import type { World } from './world.ts'

type Step =
  | { readonly do: 'publish'; readonly workspace: number; readonly count: number }
  | { readonly do: 'record'; readonly picks: readonly Pick[] }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'rollUp' }
  | { readonly do: 'resend'; readonly webhook: number; readonly pick: number }
  | { readonly do: 'recover'; readonly webhook: number }
  | { readonly do: 'release'; readonly pick: number }
  | { readonly do: 'disable'; readonly webhook: number; readonly sweep: boolean }

interface Pick {
  readonly pick: number
  readonly outcome: 'delivered' | (typeof ATTEMPT_ERROR_CODES)[number]
  readonly durationMs: number
  /** Whether a failure is the last attempt. */
  readonly last: boolean
  /** Reported by a node without the lease. */
  readonly stolen: boolean
}

/** One call, or time that passes. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('publish' as const),
    workspace: fc.nat(1),
    count: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({
    do: fc.constant('record' as const),
    picks: fc.array(
      fc.record({
        pick: fc.nat(),
        outcome: fc.oneof(fc.constant('delivered' as const), fc.constantFrom(...ATTEMPT_ERROR_CODES)),
        durationMs: fc.integer({ min: 0, max: 70_000 }),
        last: fc.boolean(),
        stolen: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 150_000 }) }),
  fc.record({ do: fc.constant('rollUp' as const) }),
  fc.record({ do: fc.constant('resend' as const), webhook: fc.nat(3), pick: fc.nat() }),
  fc.record({ do: fc.constant('recover' as const), webhook: fc.nat(3) }),
  fc.record({ do: fc.constant('release' as const), pick: fc.nat() }),
  fc.record({ do: fc.constant('disable' as const), webhook: fc.nat(3), sweep: fc.boolean() }),
)

/** Two nodes, two workspaces with webhooks, and rollups in between. */
export class StatsRun {
  readonly #w: World
  readonly #workspaces: readonly { readonly id: number; readonly webhooks: readonly Webhook[] }[]
  readonly #publishing: readonly Parameters<World['leased']>[1][]
  readonly #nodes: readonly [number, number]
  readonly #leased = new Map<number, { readonly webhookId: number; attempts: number }>()
  readonly #events = [0, 0]
  readonly #from: number
  /** The counts in its first minute. */
  readonly #before: Tally
  /** Results count in the minute in which they are recorded, which is when they are created here. */
  readonly #minutes = new Map<string, Tally>()

  private constructor(
    w: World,
    publishing: readonly Parameters<World['leased']>[1][],
    webhooks: readonly (readonly Webhook[])[],
    nodes: readonly [number, number],
    before: Tally,
  ) {
    this.#w = w
    this.#from = startOf(w.now, UNIT_MS.minute)
    this.#publishing = publishing
    this.#workspaces = publishing.map(({ id }, at) => ({ id, webhooks: webhooks[at]! }))
    this.#nodes = nodes
    this.#before = before
  }

  static async start(w: World): Promise<StatsRun> {
    const before = await countsOf(w, 'all', 0, startOf(w.now, UNIT_MS.minute))
    const workspaces = [await w.workspace(), await w.workspace()]
    const webhooks = await Promise.all(
      workspaces.map(async (workspace) => [await w.webhook(workspace), await w.webhook(workspace)]),
    )
    return new StatsRun(w, workspaces, webhooks, [await w.node(), await w.node()], before)
  }

  async take(one: Step): Promise<void> {
    if (one.do === 'wait') {
      this.#w.now += one.ms
      const { deliveries } = await this.#w.claim(this.#nodes[0])
      for (const { id, webhookId, attempts } of deliveries) this.#leased.set(id, { webhookId, attempts })
    } else if (one.do === 'resend') await this.#resend(one.webhook, one.pick)
    else if (one.do === 'recover') await this.#recover(one.webhook)
    else if (one.do === 'release') await this.#release(one.pick)
    else if (one.do === 'disable') await this.#disable(one.webhook, one.sweep)
    else if (one.do === 'publish') await this.#publish(one.workspace, one.count)
    else if (one.do === 'record') await this.#record(one.picks)
    else
      await Promise.all([
        this.#w.storage.rollUpStats({ now: this.#w.now }),
        this.#w.storage.rollUpStats({ now: this.#w.now }),
      ])
  }

  async #publish(workspace: number, count: number): Promise<void> {
    this.#events[workspace]! += count
    const refs = await this.#w.leased(this.#nodes[0], this.#publishing[workspace]!, count)
    for (const { deliveryId, webhookId } of refs) this.#leased.set(deliveryId, { webhookId, attempts: 0 })
  }

  #webhook(at: number): Webhook {
    return this.#workspaces.flatMap(({ webhooks }) => webhooks)[at]!
  }

  async #resend(at: number, pick: number): Promise<void> {
    const { w, webhook } = { w: this.#w, webhook: this.#webhook(at) }
    const log = (await w.log(webhook)).filter(({ status }) => status !== 'pending')
    if (log.length === 0) return
    await w.storage.resend({
      workspaceId: webhook.workspaceId,
      deliveryId: log[pick % log.length]!.id,
      trigger: 'redeliver',
      from: ['delivered', 'failed', 'dead', 'canceled'],
      limit: null,
      now: w.now,
    })
  }

  async #recover(at: number): Promise<void> {
    const { w, webhook } = { w: this.#w, webhook: this.#webhook(at) }
    await w.storage.createReplay({
      publicId: w.name('rec_'),
      workspaceId: webhook.workspaceId,
      webhookId: webhook.id,
      trigger: 'recover',
      statuses: ['failed', 'dead', 'canceled'],
      eventTypes: [],
      from: 0,
      to: w.now + 1,
      max: 100,
      total: 0,
      maxUnfinished: 1000,
      limit: null,
      now: w.now,
    })
    await w.storage.stepReplays({ now: w.now, limit: 10 })
  }

  async #release(pick: number): Promise<void> {
    const ids = [...this.#leased.keys()]
    if (ids.length === 0) return
    const deliveryId = ids[pick % ids.length]!
    const { lease, createdAt } = this.#w.success({ deliveryId, webhookId: 0 })
    await this.#w.storage.releaseDeliveries({
      nodeId: this.#nodes[0],
      deliveries: [{ deliveryId, lease, createdAt }],
    })
    this.#leased.delete(deliveryId)
  }

  async #disable(at: number, sweep: boolean): Promise<void> {
    await this.#w.update(this.#webhook(at), { status: 'off' })
    if (sweep) await this.#w.storage.cancelDeliveries({ now: this.#w.now, limit: 3 })
    await this.#w.update(this.#webhook(at), { status: 'on' })
  }

  async #record(picks: readonly Pick[]): Promise<void> {
    const mine: AttemptToRecord[] = []
    const stolen: AttemptToRecord[] = []
    for (const { pick, outcome, durationMs, last, stolen: isStolen } of picks) {
      const entries = [...this.#leased]
      if (entries.length === 0) break
      const [deliveryId, { webhookId, attempts }] = entries[pick % entries.length]!
      const attempt = { number: attempts + 1, durationMs }
      const result =
        outcome === 'delivered'
          ? this.#w.success({ deliveryId, webhookId }, attempt)
          : this.#w.failure(
              { deliveryId, webhookId },
              {
                attempt: { ...attempt, errorCode: outcome },
                ...(last ? { next: { status: 'failed', nextAttemptAt: null } } : {}),
              },
            )
      if (isStolen) stolen.push(result)
      else {
        mine.push(result)
        this.#leased.delete(deliveryId)
        this.#note(result)
      }
    }
    const [recorded, other] = await Promise.all([
      this.#w.record(this.#nodes[0], mine),
      this.#w.record(this.#nodes[1], stolen),
      this.#w.storage.rollUpStats({ now: this.#w.now }),
      this.#w.storage.rollUpStats({ now: this.#w.now }),
    ])
    expect(recorded.lost).toEqual([])
    expect(other.lost).toHaveLength(stolen.length)
  }

  #note({ webhookId, attempt, createdAt }: AttemptToRecord): void {
    const name = `${webhookId} ${startOf(this.#w.now, UNIT_MS.minute)}`
    const tally = this.#minutes.get(name) ?? new Map()
    this.#minutes.set(name, tally)
    const text = attemptText(attempt, createdAt)
    readCounts(tally, text)
  }

  async compare(): Promise<void> {
    const w = this.#w
    // A canceled delivery counts once none of its attempts is in flight.
    await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
    for (const nodeId of this.#nodes) await w.storage.retireNode({ nodeId })
    const everything: Tally = new Map(this.#before)
    for (const [at, { id, webhooks }] of this.#workspaces.entries()) {
      const workspace = await expected(w, webhooks)
      if (this.#events[at]! > 0) workspace.set(EVENTS_COUNTER, this.#events[at]!)
      const counts = await this.#counts('workspace', id)
      expect(withoutEnds(counts)).toEqual(workspace)
      expect(deliveriesOf(counts)).toEqual(await ended(w, webhooks))
      addTally(everything, workspace)
      for (const webhook of webhooks) {
        const ofWebhook = await this.#counts('webhook', webhook.id)
        expect(withoutEnds(ofWebhook)).toEqual(await expected(w, [webhook]))
        expect(deliveriesOf(ofWebhook)).toEqual(await ended(w, [webhook]))
        await this.#compareMinutes(webhook)
      }
    }
    expect(withoutEnds(await this.#counts('all', 0))).toEqual(withoutEnds(everything))
    await rollUpAll(w)
    expect(withoutEnds(await this.#counts('all', 0))).toEqual(withoutEnds(everything))
    for (const { webhooks } of this.#workspaces)
      for (const webhook of webhooks)
        expect(deliveriesOf(await this.#counts('webhook', webhook.id))).toEqual(await ended(w, [webhook]))
  }

  /** Each delivery counts in the minute in which it ended, and no count is negative. */
  async #compareMinutes(webhook: Webhook): Promise<void> {
    const endsAt = new Map<number, number>()
    for (const { finishedAt } of await this.#w.log(webhook)) {
      const at = finishedAt === null ? null : startOf(finishedAt, UNIT_MS.minute)
      if (at !== null) endsAt.set(at, (endsAt.get(at) ?? 0) + 1)
    }
    for (const { at, counts } of await statsOf(this.#w, 'webhook', webhook.id, this.#from)) {
      expect(withoutEnds(counts)).toEqual(this.#minutes.get(`${webhook.id} ${at}`) ?? new Map())
      const { delivered, failed, canceled } = deliveriesOf(counts)
      expect(delivered + failed + canceled).toBe(endsAt.get(at) ?? 0)
    }
  }

  /** No delivery of this run is claimed in the next. */
  async end(): Promise<void> {
    const { storage, now } = this.#w
    for (const { id: workspaceId } of this.#workspaces) await storage.deleteWorkspace({ workspaceId, now })
  }

  #counts(scope: StatsScope, id: number): Promise<Tally> {
    return countsOf(this.#w, scope, id, this.#from)
  }
}
