import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { adsProfile, adsService, contentProfile, contentService } from '../../src/profiles/builtIn.ts'
import type { DeliveryRecord } from '../../src/storage/rows.ts'
import type { OpenedStore } from '../storage/conformance/subject.ts'
import { openTemporaryStore } from '../storage/temporaryStore.ts'
import { type FlatStorage, wrapCalls } from '../support/flatStorage.ts'
import { BY } from '../support/testEngine.ts'
import { CONTRACTS } from './oracle/contract.ts'
import { Draws } from './plans/draws.ts'
import type { Plan, World } from './plans/plan.ts'
import { planOfMany } from './plans/population.ts'
import { memoryStore } from './run.ts'
import { PATIENCE_MS } from './seeds.ts'
import { simulate } from './simulation.ts'

/** A seed with which everything happens: with so few webhooks, not every seed has everything. */
const SEED = 21
const WEBHOOKS = 30
/** Waits are this much shorter than by default, so that half an hour covers more than two days of them. */
const FASTER = 120
const LASTS_MS = HOUR_MS / 2
const faster = (waitsMs: readonly number[]) => waitsMs.map((waitMs) => waitMs / FASTER)
const dialects = [
  contentService({
    waitsMs: faster(contentProfile.policy.waitsMs),
    timeoutMs: 3 * SECOND_MS,
    disableAfterMs: contentProfile.policy.disableAfterMs! / FASTER,
  }),
  adsService({ waitsMs: faster(adsProfile.policy.waitsMs), timeoutMs: 2 * SECOND_MS }),
]

let embedded: OpenedStore

beforeEach(async () => {
  embedded = await openTemporaryStore()
})

afterEach(() => embedded.cleanup())

function plan(): Plan {
  const draws = new Draws(SEED)
  const act = (world: World, round: number) => void lookAfter(world, draws, round)
  const service = { dialects, contracts: CONTRACTS }
  return { ...planOfMany(draws, WEBHOOKS, LASTS_MS), service, people: { everyMs: MINUTE_MS / 2, act } }
}

/** People who do not see which webhooks are disabled or deliveries dead, and try at random. */
async function lookAfter(world: World, draws: Draws, round: number): Promise<void> {
  const { engine, storage, workspaces, webhooks } = world
  const webhook = webhooks[draws.between(0, WEBHOOKS - 1, 40, round)]!
  const owner = workspaces.find(({ id }) => id === webhook.workspaceId)!
  await engine.updateWebhook(owner, webhook, { enabled: true }, null, BY)
  for (const workspace of workspaces) {
    const deliveryId = draws.between(1, 200, 41, round)
    const delivery = await storage.getDelivery({ workspaceId: workspace.id, deliveryId })
    if (delivery !== null) await engine.replay(workspace, delivery, BY)
  }
}

/**
 * The result of a simulation: each request as its receiver saw it, and each delivery as the final log shows
 * it.
 */
async function outcomeOn(openStore: Parameters<typeof simulate>[1]) {
  const log: Omit<DeliveryRecord, 'webhookPublicId'>[] = []
  const { arrivals, complaints } = await simulate(plan(), openStore, async ({ workspaces, storage }) => {
    for (let deliveryId = 1, found = true; found; deliveryId++) {
      const of = ({ id: workspaceId }: { id: number }) => storage.getDelivery({ workspaceId, deliveryId })
      const delivery = (await Promise.all(workspaces.map(of))).find((one) => one !== null)
      found = delivery !== undefined
      if (delivery === undefined) continue
      const { webhookPublicId: _, ...shown } = delivery
      log.push(shown)
    }
  })
  return { arrivals, complaints, log }
}

/**
 * Each call once the previous one is answered: for concurrent calls the store may choose the order, and ids
 * follow it.
 */
function inTurn(storage: FlatStorage): FlatStorage {
  let last: Promise<unknown> = Promise.resolve()
  return wrapCalls(storage, (_, call) => (params) => {
    const called = last.then(() => call(params))
    last = called.catch(() => {})
    return called
  })
}

test(
  'a store in memory gives the same result as the embedded one',
  async () => {
    const inMemory = await outcomeOn(memoryStore())
    const onEmbedded = await outcomeOn(() => ({ storage: inTurn(embedded.storage), model: null }))
    const statuses = new Set(inMemory.log.map(({ status }) => status))
    expect([...statuses].sort()).toEqual(['canceled', 'dead', 'delivered', 'failed', 'pending'])
    expect(inMemory.log.some(({ attempts }) => attempts.some(({ trigger }) => trigger === 'replay'))).toBe(
      true,
    )
    expect(inMemory).toEqual(onEmbedded)
  },
  PATIENCE_MS,
)
