import { expect, test } from 'vitest'
import type { Workspace } from '../../../src/storage/rows.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import { idempotencyOf } from '../conformance/idempotency.ts'
import { noted } from '../conformance/noted.ts'
import { STRICT } from '../conformance/world.ts'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

function createWebhook(node: FlatStorage, { id: workspaceId }: Workspace, maxWebhooks: number | null = null) {
  return node.createWebhook({
    publicId: w.name('wh_'),
    workspaceId,
    url: 'https://receiver.example.com/hooks',
    createdBy: { type: 'member', publicId: 'usr_unknown' },
    sealedSecret: Uint8Array.of(1),
    maxWebhooks,
    now: w.now,
  })
}

function createKey(node: FlatStorage, workspaceId: number, memberId: number) {
  const publicId = w.name('key_')
  const key = { publicId, name: '', scopes: [], hash: Buffer.from(publicId), expiresAt: null, now: w.now }
  return node.createKey({ ...key, workspaceId, memberId })
}

function createSession(node: FlatStorage, workspaceId: number, memberId: number) {
  const publicId = w.name('ses_')
  const session = { publicId, hash: Buffer.from(publicId), expiresAt: w.now + 1000, now: w.now }
  return node.createSession({ ...session, workspaceId, memberId })
}

function update(node: FlatStorage, { id: workspaceId }: Workspace, webhookId: number, description: string) {
  const params = { workspaceId, webhookId, ifVersions: [1], changes: { description }, now: w.now }
  return node.updateWebhook(params)
}

const removal = (publicId: string): string => `DELETE FROM members WHERE public_id = '${publicId}'`

test('the limit of webhooks includes those that other nodes create at the same moment', async () => {
  const workspace = await w.workspace()
  const results = await store.atOnce(10, (node) => createWebhook(node, workspace, 3))
  expect(results.filter(({ outcome }) => outcome === 'created')).toHaveLength(3)
  expect(await store.values('SELECT count(*) FROM webhooks')).toEqual(['3'])
})

test('no webhook created while its workspace is deleted outlives it', async () => {
  for (let round = 0; round < 5; round++) {
    const workspace = await w.workspace()
    const params = { workspaceId: workspace.id, now: w.now }
    const results = await store.atOnce(8, async (node, at) =>
      at === 4 ? node.deleteWorkspace(params) : (await createWebhook(node, workspace)).outcome,
    )
    const made = results.filter((result) => result === 'created').length
    expect(results[4]).toHaveLength(made)
  }
  expect(await store.values('SELECT count(*) FROM webhooks WHERE deleted_at IS NULL')).toEqual(['0'])
  expect(await store.values('SELECT count(*) FROM secrets')).toEqual(['0'])
})

test('no key and no session created while its workspace is deleted outlives it', async () => {
  for (let round = 0; round < 5; round++) {
    const workspace = await w.workspace()
    const member = await w.member(workspace)
    await store.atOnce(9, (node, at): Promise<unknown> => {
      if (at === 4) return node.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      return at % 3 === 0
        ? createKey(node, workspace.id, member.id)
        : createSession(node, workspace.id, member.id)
    })
  }
  expect(await store.values('SELECT count(*) FROM keys WHERE revoked_at IS NULL')).toEqual(['0'])
  expect(await store.values('SELECT count(*) FROM sessions')).toEqual(['0'])
})

test('a key or session for a member who is being removed is rejected', async () => {
  const workspace = await w.workspace()
  const [first, second] = [await w.member(workspace), await w.member(workspace)]
  const [node] = store.nodes
  const key = store.during(removal(first.publicId), () => createKey(node, workspace.id, first.id))
  expect(await key).toBeNull()
  const session = store.during(removal(second.publicId), () => createSession(node, workspace.id, second.id))
  expect(await session).toBeNull()
})

test('a notification about the webhook of a member who is being removed has no recipient', async () => {
  const workspace = await w.workspace()
  const member = await w.member(workspace)
  const key = await w.key(workspace, member)
  await w.webhook(workspace, { createdBy: { type: 'member', publicId: member.publicId } })
  await w.webhook(workspace, { createdBy: { type: 'key', publicId: key.publicId } })
  const nodeId = await w.node()
  const leased = await w.leased(nodeId, workspace)
  const { notifications } = await store.during(removal(member.publicId), () =>
    w.record(
      nodeId,
      leased.map((ref) => w.gone(ref)),
      STRICT,
    ),
  )
  expect(notifications.map(({ memberId }) => memberId)).toEqual([null, null])
})

test("of two nodes' concurrent changes to one version of a webhook, one is made", async () => {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const results = await store.atOnce(8, (node, at) => update(node, workspace, webhook.id, `${at}`))
  const updated = results.filter((result) => result?.outcome === 'updated')
  expect(updated).toEqual([{ outcome: 'updated', webhook: await w.reread(webhook), changed: true }])
  const refused = { outcome: 'other_version', version: 2 }
  expect(results.filter((result) => result?.outcome === 'other_version')).toEqual(Array(7).fill(refused))
})

test('secrets rotated on two nodes at once follow one another', async () => {
  const { workspaceId, id: webhookId } = await w.webhook(await w.workspace())
  await store.atOnce(6, (node, at) => {
    const sealedSecret = Uint8Array.of(at + 2)
    return node.rotateSecret({
      workspaceId,
      webhookId,
      ifVersions: null,
      sealedSecret,
      overlapMs: 1,
      now: w.now,
    })
  })
  const versions = 'SELECT from_version::int FROM secrets ORDER BY id'
  expect(await store.values(versions)).toEqual([1, 2, 3, 4, 5, 6, 7])
  const until = 'SELECT until_version::int FROM secrets ORDER BY id'
  expect(await store.values(until)).toEqual([2, 3, 4, 5, 6, 7, null])
})

test('a call made on two nodes with one key is executed by one of them', async () => {
  const results = await store.atOnce(8, (node) =>
    node.change({
      call: 'createWorkspace',
      params: { publicId: w.name('ws_'), dialect: 'content', slug: w.name('slug_'), name: '', now: w.now },
      audit: noted('workspace.created'),
      idempotency: idempotencyOf(w),
      now: w.now,
    }),
  )
  expect(results.filter(({ repeated }) => !repeated)).toHaveLength(1)
  expect(new Set(results.map(({ result }) => JSON.stringify(result))).size).toBe(1)
  expect(await store.values('SELECT count(*) FROM workspaces')).toEqual(['1'])
})

test('a use of a key that another node is recording is skipped, and those of other keys are stored', async () => {
  const workspace = await w.workspace()
  const [busy, free] = [await w.key(workspace), await w.key(workspace)]
  const uses = [busy, free].map(({ id: keyId }) => ({ keyId, at: 2000 }))
  await store.holding(`UPDATE keys SET last_used_at = 1000 WHERE id = ${busy.id}`, () =>
    store.nodes[0].touchKeys({ uses }),
  )
  expect(await store.values('SELECT last_used_at::int FROM keys ORDER BY id')).toEqual([1000, 2000])
})

test('event ids reserved by two nodes never overlap', async () => {
  const firsts = await store.atOnce(20, (node) => node.reserveEventIds({ count: 5 }))
  expect(firsts.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => firsts[0]! + 5 * i))
})

test('two publishes of the same ids in different orders do not wait for each other', async () => {
  const workspace = await w.workspace()
  const nodeId = await w.node()
  const fingerprint = Uint8Array.of(1)
  const [later] = await w.events(1, workspace, { broughtId: 'b', fingerprint })
  const [sooner] = await w.events(1, workspace, { broughtId: 'a', fingerprint })
  const take = (name: string) => `
    INSERT INTO brought_ids (workspace_id, brought_id, event_id, created_at)
    VALUES (${workspace.id}, '${name}', 1, ${w.now})`
  const published = await store.during(
    take('a'),
    () => w.publish(nodeId, [later!, sooner!]),
    `SET LOCAL lock_timeout = 1; ${take('b')}`,
  )
  expect(published.repeats.map((repeat) => repeat?.id)).toEqual([1, 1])
})
