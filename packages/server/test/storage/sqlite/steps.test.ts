import { expect, onTestFinished, test } from 'vitest'
import { DAY_MS, World } from '../conformance/world.ts'
import { openTemporaryStore } from '../temporaryStore.ts'

// Behavior of the embedded store beyond that of every store.

async function openWorld(): Promise<World> {
  const { storage, cleanup } = await openTemporaryStore()
  onTestFinished(cleanup)
  return new World(storage)
}

/** More than the call that disables a webhook cancels directly. */
const MANY = 5

async function cancelMany(w: World) {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const nodeId = await w.node()
  for (let i = 0; i < MANY; i++) await w.waiting(nodeId, workspace, 1000)
  await w.update(webhook, { status: 'off' })
  return { workspace, webhook }
}

test('calls made together take effect in order', async () => {
  const w = await openWorld()
  const workspace = await w.workspace()
  const nodeId = await w.node()
  const off = await w.webhook(workspace)
  const paused = await w.webhook(workspace)
  const deleted = await w.webhook(workspace)
  const events = await w.events(2, workspace)
  const [before, , , , after] = await Promise.all([
    w.publish(nodeId, [events[0]!]),
    w.update(off, { status: 'off' }),
    w.update(paused, { status: 'paused' }),
    w.remove(deleted),
    w.publish(nodeId, [events[1]!]),
  ])
  expect(before.leased).toHaveLength(3)
  expect(after).toMatchObject({ leased: [], unleased: [] })
})

test('canceling very many takes steps of the largest size', async () => {
  const w = await openWorld()
  await cancelMany(w)
  expect(await w.storage.cancelDeliveries({ now: w.now, limit: 700 })).toBe(700)
})

test('a delivery whose cancelation is still being written cannot be sent again', async () => {
  const w = await openWorld()
  const { workspace, webhook } = await cancelMany(w)
  await w.update(webhook, { status: 'on' })
  const [newest] = await w.log(webhook)
  expect(newest!.status).toBe('canceled')
  const resend = () =>
    w.storage.resend({
      workspaceId: workspace.id,
      deliveryId: newest!.id,
      trigger: 'redeliver',
      from: ['canceled'],
      limit: null,
      now: w.now,
    })
  expect(await resend()).toEqual({ outcome: 'wrong_status', status: 'pending' })
  await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 10_000 }))
  expect(await resend()).toMatchObject({ outcome: 'accepted' })
})

test('retention takes steps of the largest size, deliveries before their events', async () => {
  const w = await openWorld()
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const nodeId = await w.node()
  const refs = await w.leased(nodeId, workspace, 50)
  await w.record(
    nodeId,
    refs.map((ref) => w.success(ref)),
  )
  w.now += DAY_MS
  const step = () => w.expire(w.now, { limit: 30 })
  expect(await step()).toBe(30)
  expect(await w.statuses(webhook)).toHaveLength(20)
  expect(await w.untilDone(step)).toBe(70)
})

test('a leased delivery stays with its event, and nothing equally old next to it', async () => {
  const w = await openWorld()
  const workspace = await w.workspace()
  const [one, other] = [await w.webhook(workspace), await w.webhook(workspace)]
  const nodeId = await w.node()
  await w.waiting(nodeId, workspace)
  const refs = await w.leased(nodeId, workspace)
  await w.record(nodeId, [w.success(refs.find((ref) => ref.webhookId === one.id)!)])
  w.now += DAY_MS
  await w.expireAll(w.now)
  expect([await w.statuses(one), await w.statuses(other)]).toEqual([[], ['pending']])
})
