import { expect, test } from 'vitest'
import type { Workspace } from '../../../src/storage/rows.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import { create, type Dying, dead, read, start } from '../conformance/replayTools.ts'
import { World } from '../conformance/world.ts'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

async function sendTest(
  node: FlatStorage,
  workspace: Workspace,
  webhookId: number,
  max: number | null = null,
) {
  const event = await w.event(workspace, { type: 'webhook.test' })
  const limit = max === null ? null : { max, windowMs: 60_000 }
  return node.sendTest({ event, webhookId, limit, now: w.now })
}

function redeliver(node: FlatStorage, { id: workspaceId }: Workspace, deliveryId: number) {
  const params = { workspaceId, deliveryId, trigger: 'replay', from: ['dead'], limit: null } as const
  return node.resend({ ...params, now: w.now })
}

/** Runs replays on both nodes concurrently until neither finds anything to do. */
async function finishByBoth(): Promise<void> {
  for (let handled = [1]; handled.some((rows) => rows > 0); )
    handled = await store.atOnce(4, async (node) => {
      return (await node.stepReplays({ now: w.now, limit: 7 })).looked
    })
}

const WAITING = `
  SELECT count(*) FROM deliveries d JOIN waiting x ON x.delivery_id = d.id AND x.webhook_id = d.webhook_id
    AND x.created_at = d.created_at AND x.due_at = d.next_attempt_at
  WHERE d.status = 'pending'`
/** Deliveries that are neither leased nor waiting, or that wait though they are finished. */
const LOST = `
  SELECT d.id FROM deliveries d FULL JOIN waiting x ON x.delivery_id = d.id
  WHERE (d.status = 'pending' AND d.lease IS NULL) <> (x.delivery_id IS NOT NULL) OR d.id IS NULL`

test('the limit of manual sends includes those that other nodes make at the same moment', async () => {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const results = await store.atOnce(12, (node) => sendTest(node, workspace, webhook.id, 4))
  expect(results.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(4)
  expect(await w.statuses(webhook)).toHaveLength(4)
})

test('of concurrent redeliveries on several nodes, one is made', async () => {
  const from = await start(w)
  const [id] = await dead(from, ['a'])
  const results = await store.atOnce(6, (node) => redeliver(node, from.workspace, id!))
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['accepted', ...Array(5).fill('wrong_status')])
  expect(await store.values(WAITING)).toEqual(['1'])
})

test('nothing sent while its webhook is disabled stays pending', async () => {
  for (let round = 0; round < 5; round++) {
    const from = await start(w)
    const ids = await dead(from, ['a', 'a', 'a'])
    const { workspace, webhook } = from
    await store.atOnce(8, async (node, at) => {
      if (at === 3) return new World(node).update(webhook, { status: 'off' })
      return at % 4 < 2 ? sendTest(node, workspace, webhook.id) : redeliver(node, workspace, ids[at % 3]!)
    })
    await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
    for (const status of await w.statuses(webhook)) expect(['canceled', 'dead']).toContain(status)
    expect(await store.values('SELECT 1 FROM waiting')).toEqual([])
  }
})

test('replays run by two nodes take each delivery once', async () => {
  const from = await start(w)
  const replays = []
  for (let i = 0; i < 3; i++) {
    const workspace = await w.workspace()
    const one: Dying = { ...from, workspace, webhook: await w.webhook(workspace) }
    await dead(one, Array(40).fill('a'))
    replays.push({ one, replay: await create(one) })
  }
  await finishByBoth()
  for (const { one, replay } of replays)
    expect(await read(one, replay)).toMatchObject({ replayed: 40, finishedAt: w.now })
  expect(await store.values(WAITING)).toEqual(['120'])
  expect(await store.values(LOST)).toEqual([])
})

test('a delivery resent while it is replayed is sent once, and counts for one of them', async () => {
  const from = await start(w)
  const ids = await dead(from, Array(60).fill('a'))
  const replay = await create(from)
  const [resent] = await Promise.all([
    Promise.all(ids.map((id, at) => redeliver(store.nodes[at % 2]!, from.workspace, id))),
    finishByBoth(),
  ])
  const accepted = resent.filter(({ outcome }) => outcome === 'accepted').length
  expect(await read(from, replay)).toMatchObject({ replayed: 60 - accepted, finishedAt: w.now })
  expect(await store.values(WAITING)).toEqual(['60'])
  expect(await store.values(LOST)).toEqual([])
})

test('nothing replayed while its webhook is disabled stays pending', async () => {
  for (let round = 0; round < 5; round++) {
    const from = await start(w)
    await dead(from, Array(30).fill('a'))
    await create(from)
    await Promise.all([finishByBoth(), new World(store.nodes[1]).update(from.webhook, { status: 'off' })])
    await w.untilDone(() => w.storage.cancelDeliveries({ now: w.now, limit: 1000 }))
    for (const status of await w.statuses(from.webhook)) expect(['canceled', 'dead']).toContain(status)
    expect(await store.values('SELECT 1 FROM waiting')).toEqual([])
  }
})

test('a replay canceled while a step waits for its row makes nothing due', async () => {
  const from = await start(w)
  await dead(from, ['a', 'a'])
  const replay = await create(from)
  const canceled = `UPDATE replays SET canceled_at = ${w.now}, finished_at = ${w.now} WHERE id = ${replay.id}`
  const step = await store.during(canceled, () => store.nodes[1].stepReplays({ now: w.now, limit: 10 }))
  expect(step).toMatchObject({ looked: 0, started: 0 })
  expect(await store.values('SELECT 1 FROM waiting')).toEqual([])
})
