import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DeliveryRecord } from '../../../src/storage/rows.ts'
import { type Step, StoreModel, steps } from './storeModel.ts'
import type { Subject } from './subject.ts'
import { STRICT, type World } from './world.ts'

export function modelSuite({ world, opened }: Subject): void {
  describe('any sequence of calls', () => {
    test('leaves every delivery and webhook in the state required by the rules', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          const run = await Run.start(world(), opened().expiresByRow)
          for (const step of sequence) await run.take(step)
          await run.end()
        }),
        { numRuns: 40 },
      )
    }, 120_000)
  })
}

/** Applies each step to the store and to the model, and compares the visible state. */
class Run {
  readonly #w: World
  readonly #model: StoreModel
  readonly #workspaceId: number

  readonly #byRow: boolean

  private constructor(w: World, model: StoreModel, workspaceId: number, byRow: boolean) {
    this.#byRow = byRow
    this.#w = w
    this.#model = model
    this.#workspaceId = workspaceId
  }

  static async start(w: World, byRow: boolean): Promise<Run> {
    const workspace = await w.workspace()
    const webhooks = [
      await w.webhook(workspace),
      await w.webhook(workspace, { eventTypes: ['thing.happened'] }),
    ]
    const nodes: [number, number] = [await w.node(), await w.node()]
    return new Run(w, new StoreModel(workspace, webhooks, nodes), workspace.id, byRow)
  }

  async take(step: Step): Promise<void> {
    const { now } = this.#w
    switch (step.do) {
      case 'wait':
        this.#w.now += step.ms
        break
      case 'publish':
        await this.#publish(step.count, step.room)
        break
      case 'claim':
        await this.#claim(step.node, step.limit)
        break
      case 'record':
        await this.#record(step)
        break
      case 'status': {
        const webhook = this.#model.webhooks[step.webhook]!
        await this.#w.update(webhook.row, { status: step.to })
        this.#model.setStatus(webhook, step.to, now)
        break
      }
      case 'resend': {
        const id = this.#model.pick(step.pick)?.id ?? 0
        const params = { workspaceId: this.#workspaceId, deliveryId: id, limit: null, now }
        const from = ['delivered', 'failed', 'canceled'] as const
        const { outcome } = await this.#w.storage.resend({ ...params, trigger: 'redeliver', from })
        expect(outcome).toBe(this.#model.resend(id, now))
        break
      }
      case 'release': {
        const nodeId = this.#model.nodes[step.node]!
        const deliveries = this.#model.leasedTo(nodeId).map(({ id }) => this.#w.leaseOf(id))
        await this.#w.storage.releaseDeliveries({ nodeId, deliveries })
        this.#model.endLeases(nodeId)
        break
      }
      case 'replaceNode': {
        const nodeId = this.#model.nodes[step.node]!
        await this.#w.storage.retireNode({ nodeId })
        this.#model.endLeases(nodeId)
        this.#model.nodes[step.node] = await this.#w.node()
        break
      }
      case 'expire': {
        const before = now - step.ageMs
        // Deliveries canceled as expired in the first pass are deleted by the next one.
        for (let pass = 0; pass < 2; pass++)
          await this.#w.untilDone(() => this.#w.expire(before, { limit: 3 }))
        const left = new Set((await this.#log()).map(({ id }) => id))
        this.#model.expire(before, this.#byRow ? null : left)
        break
      }
    }
    await this.#compare()
  }

  async #publish(count: number, room: number): Promise<void> {
    const nodeId = this.#model.nodes[0]
    const batch = await this.#w.events(count, this.#model.workspace)
    const { leased, unleased } = await this.#w.publish(nodeId, batch, { room })
    const expected = this.#model.publish(count, room, nodeId)
    expect(leased.map(({ webhookId }) => webhookId)).toEqual(expected.leased)
    expect([...unleased].sort()).toEqual(expected.unleased)
    const log = await this.#log()
    this.#model.name(log.map(({ id, webhookId }) => ({ id, webhookId, now: this.#w.now })))
    for (const { deliveryId } of leased) this.#model.lease(deliveryId, nodeId)
  }

  async #claim(node: 0 | 1, limit: number): Promise<void> {
    const nodeId = this.#model.nodes[node]
    const { deliveries } = await this.#w.claim(nodeId, { limit, perWebhook: 3 })
    const expected = this.#model.claim(nodeId, limit, 3, this.#w.now)
    expect(
      deliveries.map(({ id, attempts, runStart, trigger }) => ({ id, attempts, runStart, trigger })),
    ).toEqual(expected)
  }

  async #record({ node, picks }: Extract<Step, { do: 'record' }>): Promise<void> {
    const nodeId = this.#model.nodes[node]
    const { now } = this.#w
    const results = picks.flatMap(({ pick, outcome }) => {
      const of = this.#model.pick(pick)
      return of === undefined ? [] : [this.#model.result(this.#w, of, outcome)]
    })
    const recorded = await this.#w.record(nodeId, results, STRICT)
    const expected = this.#model.record(nodeId, results, now)
    expect(recorded.lost).toEqual(expected.lost)
    // Several that are disabled at once are returned in any order.
    const byWebhook = (one: { readonly webhookId: number }, other: { readonly webhookId: number }) =>
      one.webhookId - other.webhookId
    expect([...recorded.disabled].sort(byWebhook)).toEqual([...expected.disabled].sort(byWebhook))
  }

  async #log(): Promise<DeliveryRecord[]> {
    const logs = await Promise.all(this.#model.webhooks.map(({ row }) => this.#w.log(row)))
    return logs.flat().sort((a, b) => a.id - b.id)
  }

  async #compare(): Promise<void> {
    const seen = (await this.#log()).map(({ id, status, nextAttemptAt, finishedAt, attempts }) => ({
      id,
      status,
      nextAttemptAt,
      finishedAt,
      attempts: attempts.map(({ number, trigger }) => `${number} ${trigger}`),
    }))
    expect(seen).toEqual(this.#model.visible())
    for (const { row, status, offReason, health } of this.#model.webhooks)
      expect(await this.#w.reread(row)).toMatchObject({
        status,
        offReason,
        failingSince: health.failingSince,
      })
  }

  async end(): Promise<void> {
    await this.#w.storage.deleteWorkspace({ workspaceId: this.#workspaceId, now: this.#w.now })
    for (const nodeId of this.#model.nodes) await this.#w.storage.retireNode({ nodeId })
  }
}
