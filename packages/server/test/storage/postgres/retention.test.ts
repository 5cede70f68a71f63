import { expect, test } from 'vitest'
import { DAY_MS, World } from '../conformance/world.ts'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

const days = () =>
  store.values(`
    SELECT right(relname, 8) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'deliveries\\_%' AND relkind = 'r'
    ORDER BY 1`)

/** Delivers one event on each of some days, starting with the first of January. */
async function deliverOn(dayCount: number) {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const nodeId = await w.node()
  for (let day = 0; day < dayCount; day++) {
    const [ref] = await w.leased(nodeId, workspace)
    await w.record(nodeId, [w.success(ref!)])
    w.now += DAY_MS
  }
  return { workspace, webhook, nodeId }
}

test('whole days are deleted, the oldest first, one with each call that has nothing else to do', async () => {
  await deliverOn(3)
  const before = w.now - DAY_MS - 1
  expect(await w.expire(before)).toBe(1)
  expect(await days()).toEqual(['20260102', '20260103'])
  // The second of January is not over at that time.
  await w.expireAll(before)
  expect(await days()).toEqual(['20260102', '20260103'])
  await w.expireAll(before + 1)
  expect(await days()).toEqual(['20260103'])
})

test("a publisher's id is known as long as its event is there", async () => {
  const { workspace, nodeId } = await deliverOn(1)
  const brought = { broughtId: 'evt_a', fingerprint: Uint8Array.of(1) }
  await w.publish(nodeId, [await w.event(workspace, brought)], { room: 0 })
  await w.expireAll(w.now + 1)
  const [again] = await w.events(1, workspace, brought)
  expect((await w.publish(nodeId, [again!])).repeats).toEqual([
    expect.objectContaining({ broughtId: 'evt_a' }),
  ])
  w.now += DAY_MS
  await w.expireAll(w.now)
  expect(await store.values('SELECT brought_id FROM brought_ids')).toEqual([])
})

test('a day that a lease reaches into is kept, and deleted once that has ended', async () => {
  const { workspace, webhook, nodeId } = await deliverOn(1)
  await w.waiting(nodeId, workspace)
  const [ref] = await w.leased(nodeId, workspace)
  w.now += DAY_MS
  await w.expireAll(w.now)
  expect(await days()).toEqual(['20260102'])
  expect(await w.statuses(webhook)).toEqual(['pending', 'pending'])
  await w.record(nodeId, [w.failure(ref!)])
  await w.expireAll(w.now)
  expect(await days()).toEqual([])
  expect(await store.values('SELECT 1 FROM waiting')).toEqual([])
  expect(await w.claimedIds(nodeId)).toEqual([])
})

test('a day with a delivery that has just expired is kept for a while, and later days are not', async () => {
  const { workspace, webhook, nodeId } = await deliverOn(1)
  w.now -= DAY_MS
  await w.waiting(nodeId, workspace)
  w.now += DAY_MS
  await deliverOn(2)
  const expiredAt = w.now
  await w.expireAll(w.now, { expiredBefore: expiredAt })
  expect(await days()).toEqual(['20260101'])
  expect(await w.statuses(webhook)).toContain('canceled')
  await w.expireAll(w.now, { expiredBefore: expiredAt + 1 })
  expect(await days()).toEqual([])
  expect(await store.values('SELECT 1 FROM expired_days')).toEqual([])
})

test('tables in use by a reader are deleted another time, without an error', async () => {
  await deliverOn(1)
  await store.holding('SELECT count(*) FROM deliveries', async () => {
    expect(await w.expire(w.now)).toBe(0)
    expect(await days()).toEqual(['20260101'])
  })
  expect(await w.expire(w.now)).toBe(1)
  expect(await days()).toEqual([])
})

test('one node at a time expires rows, and the others have nothing to do in the meantime', async () => {
  await deliverOn(4)
  const ages = { before: w.now, expiredBefore: w.now, auditBefore: w.now, idempotencyBefore: w.now }
  for (let handled = [1]; handled.some((rows) => rows > 0); ) {
    const steps = await store.atOnce(4, (node) => node.deleteExpired({ ...ages, now: w.now, limit: 1000 }))
    handled = steps.map((step) => step.handled)
  }
  expect(await days()).toEqual([])
})

test('a node that knows a day which another has dropped creates it again, whatever its clock says', async () => {
  const { workspace, webhook, nodeId } = await deliverOn(1)
  const late = new World(store.nodes[1])
  const lateId = await late.node()
  const start = w.now
  await late.publish(lateId, [await late.event(workspace, { createdAt: start })])
  w.now += DAY_MS
  await w.storage.retireNode({ nodeId: lateId })
  await w.expireAll(w.now)
  expect(await days()).toEqual([])
  const again = await late.node()
  await late.publish(again, [await late.event(workspace, { createdAt: start })], { room: 0 })
  expect(await w.statuses(webhook)).toEqual(['pending'])
  expect(await w.claimedIds(nodeId)).toHaveLength(1)
})

test('a delivery claimed while its day is deleted can be recorded, or was never claimed', async () => {
  const { workspace, nodeId } = await deliverOn(1)
  const other = new World(store.nodes[1])
  const otherId = await other.node()
  for (let round = 0; round < 10; round++) {
    await w.waiting(nodeId, workspace, 20)
    w.now += DAY_MS
    other.now = w.now
    const claims: ReturnType<World['claim']>[] = []
    const expiring = w.expireAll(w.now)
    for (let i = 0; i < 10; i++) claims.push(other.claim(otherId, { limit: 2 }))
    const claimed = (await Promise.all(claims)).flatMap(({ deliveries }) => deliveries)
    await expiring
    for (const delivery of claimed) await w.delivery(workspace, delivery.id)
    const recorded = await other.record(
      otherId,
      claimed.map((delivery) => other.success({ deliveryId: delivery.id, webhookId: delivery.webhookId })),
    )
    expect(recorded.lost).toEqual([])
    await w.expireAll(w.now)
    expect(await days()).toEqual([])
    expect(await store.values('SELECT 1 FROM waiting UNION ALL SELECT 1 FROM leases')).toEqual([])
  }
})
