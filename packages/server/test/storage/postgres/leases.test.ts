import { expect, test } from 'vitest'
import type { FlatStorage } from '../../support/flatStorage.ts'
import { World } from '../conformance/world.ts'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

const LEASES = 'SELECT id FROM leases'

/** A delivery leased to a node. @param others under the same lease */
async function heldByOne(others = 0) {
  const workspace = await w.workspace()
  await w.webhook(workspace)
  const nodeId = await w.node()
  const [ref] = await w.leased(nodeId, workspace, 1 + others)
  return { workspace, nodeId, ref: ref! }
}

test.each([0, 1])(
  'a repeated release does not end the next lease of the delivery; %s others are under the first one',
  async (others) => {
    const { nodeId, ref } = await heldByOne(others)
    const release = { nodeId, deliveries: [ref] }
    await w.storage.releaseDeliveries(release)
    expect(await w.claimedIds(nodeId)).toEqual([ref.deliveryId])
    await w.storage.releaseDeliveries(release)
    expect(await w.claimedIds(nodeId)).toEqual([])
    expect((await w.record(nodeId, [w.success(ref)])).lost).toEqual([])
  },
)

test('a repeated result does not end the lease of the next attempt', async () => {
  const { workspace, nodeId, ref } = await heldByOne()
  const failure = w.failure(ref, { next: { status: 'pending', nextAttemptAt: w.now } })
  await w.record(nodeId, [failure])
  expect(await w.claimedIds(nodeId)).toEqual([ref.deliveryId])
  expect((await w.record(nodeId, [failure])).lost).toEqual([ref.deliveryId])
  expect((await w.record(nodeId, [w.success(ref, { number: 2 })])).lost).toEqual([])
  const { attempts, status } = await w.delivery(workspace, ref.deliveryId)
  expect({ status, attempts: attempts.length }).toEqual({ status: 'delivered', attempts: 2 })
})

test('a repeated success is lost, though its lease continues and its delivery is leased again', async () => {
  const { workspace, nodeId, ref } = await heldByOne()
  const retry = { next: { status: 'pending' as const, nextAttemptAt: w.now } }
  await w.record(nodeId, [w.failure(ref, retry)])
  await w.waiting(nodeId, workspace)
  expect(await w.claimedIds(nodeId)).toHaveLength(2)
  const second = { ...ref, ...w.leaseOf(ref.deliveryId) }
  const success = w.success(second, { number: 2 })
  expect((await w.record(nodeId, [success])).lost).toEqual([])
  const again = await w.record(nodeId, [success]).catch((error: unknown) => error)
  expect(again).toMatchObject({ lost: [ref.deliveryId] })
  expect((await w.delivery(workspace, ref.deliveryId)).attempts).toHaveLength(2)
})

test('a repeated result does not replace that of the next attempt', async () => {
  const { workspace, nodeId, ref } = await heldByOne()
  const failure = w.failure(ref, { next: { status: 'pending', nextAttemptAt: w.now } })
  await w.record(nodeId, [failure])
  expect(await w.claimedIds(nodeId)).toEqual([ref.deliveryId])
  const both = [failure, w.success(ref, { number: 2 })]
  expect((await w.record(nodeId, both)).lost).toEqual([ref.deliveryId])
  const { attempts, status } = await w.delivery(workspace, ref.deliveryId)
  expect({ status, attempts: attempts.length }).toEqual({ status: 'delivered', attempts: 2 })
  expect(await store.values(LEASES)).toEqual([])
})

test('a lease is valid only for the node that took it, whichever node names it', async () => {
  const workspace = await w.workspace()
  await w.webhook(workspace)
  const [mine, other] = [await w.node(), await w.node()]
  const [ref] = await w.leased(mine, workspace)
  await store.nodes[1].releaseDeliveries({ nodeId: other, deliveries: [ref!] })
  expect((await w.record(other, [w.success(ref!)])).lost).toEqual([ref!.deliveryId])
  expect(await w.claimedIds(other)).toEqual([])
  expect((await w.record(mine, [w.success(ref!)])).lost).toEqual([])
})

test('a lease without deliveries is deleted', async () => {
  const workspace = await w.workspace()
  await w.webhook(workspace)
  const nodeId = await w.node()
  const refs = await w.leased(nodeId, workspace, 4)
  const [success, failure, released, last] = [refs[0]!, refs[1]!, refs[2]!, refs[3]!]
  await w.record(nodeId, [w.success(success), w.failure(failure)])
  await w.storage.releaseDeliveries({ nodeId, deliveries: [released] })
  expect(await store.values(LEASES)).toEqual([String(last.lease)])
  await w.record(nodeId, [w.success(last)])
  expect(await store.values(LEASES)).toEqual([])
})

/** Deliveries under two leases, the first of them under the later one. @returns the last first */
async function leasedInTwo(nodeId: number) {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const [first, ...rest] = await w.leased(nodeId, workspace, 4)
  await w.storage.releaseDeliveries({ nodeId, deliveries: [first!] })
  await w.claim(nodeId)
  return {
    webhook,
    refs: [...rest.reverse(), first!].map((ref) => ({ ...ref, ...w.leaseOf(ref.deliveryId) })),
  }
}

type Leased = Awaited<ReturnType<typeof leasedInTwo>> & { readonly nodeId: number }

const WAYS: Record<string, (node: FlatStorage, leased: Leased) => Promise<unknown>> = {
  'results are recorded': (_, { nodeId, refs }) =>
    w.record(
      nodeId,
      refs.map((ref) => w.success(ref)),
    ),
  'they are given back': (node, { nodeId, refs }) => node.releaseDeliveries({ nodeId, deliveries: refs }),
  'their node goes': (node, { nodeId }) => node.retireNode({ nodeId }),
  'their webhook is disabled': (node, { webhook }) => new World(node).update(webhook, { status: 'off' }),
}

test.each(Object.entries(WAYS))('while a delivery is busy, later ones are free: %s', async (_, call) => {
  const nodeId = await w.node()
  const leased = await leasedInTwo(nodeId)
  const first = `id = ${leased.refs.at(-1)!.deliveryId}`
  await store.during(
    `SELECT 1 FROM deliveries WHERE ${first} FOR UPDATE`,
    () => call(store.nodes[1], { ...leased, nodeId }),
    `SELECT 1 FROM deliveries WHERE NOT ${first} FOR UPDATE NOWAIT`,
  )
  expect(
    await store.values('SELECT 1 FROM deliveries WHERE lease IS NOT NULL AND status = $$pending$$'),
  ).toEqual([])
})

test('maintenance locks a webhook before its deliveries, as results do', async () => {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  await w.leased(await w.node(), workspace)
  await store.values(`
    UPDATE webhooks SET status = 'off', off_reason = 'manual', canceled_at = 1,
      canceled_through = (SELECT last_value FROM delivery_ids)
    WHERE id = ${webhook.id} RETURNING id`)
  await store.during(
    `SELECT 1 FROM webhooks WHERE id = ${webhook.id} FOR NO KEY UPDATE`,
    () => store.nodes[1].cancelDeliveries({ now: w.now, limit: 100 }),
    'SELECT 1 FROM deliveries FOR NO KEY UPDATE NOWAIT',
  )
})
