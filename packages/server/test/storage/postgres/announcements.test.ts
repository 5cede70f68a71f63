import { expect, test, vi } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

const heard = (what: () => void) => vi.waitFor(what, { timeout: 10_000, interval: 5 })

/** The server's processes through which nodes listen. */
const LISTENING = `
  SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN "' || current_schema() || '"' AND state = 'idle'`

/** The webhooks announced to the second node. */
function webhooksHeard(): number[] {
  const ids: number[] = []
  store.nodes[1].onWebhooksChanged(
    (webhookIds) => void ids.push(...webhookIds),
    () => {},
  )
  return ids
}

const pause = ({ workspaceId, id: webhookId }: Webhook) =>
  store.nodes[0].updateWebhook({
    workspaceId,
    webhookId,
    ifVersions: null,
    changes: { paused: true },
    now: w.now,
  })

test('a changed credential is announced to other nodes, and a use of one is not', async () => {
  const workspace = await w.workspace()
  const member = await w.member(workspace)
  const key = await w.key(workspace, member)
  let calls = 0
  store.nodes[1].onCredentialsChanged(() => {
    calls++
  })
  await heard(async () => expect(await store.values(LISTENING)).toHaveLength(1))
  const [node] = store.nodes
  await node.touchKeys({ uses: [{ keyId: key.id, at: w.now }] })
  await w.webhook(workspace)
  await w.key(workspace, member)
  const { id: workspaceId } = workspace
  await node.updateMember({ workspaceId, publicId: member.publicId, changes: { role: 'viewer' } })
  await heard(() => expect(calls).toBe(1))
  // E-mail preferences do not affect access.
  const wish = { workspaceId, publicId: member.publicId, changes: { failingWarnings: false } }
  await node.updatePreferences(wish)
  await node.revokeKey({ workspaceId, publicId: key.publicId, now: w.now })
  await heard(() => expect(calls).toBe(2))
  await node.deleteMember({ workspaceId, publicId: member.publicId, now: w.now })
  await heard(() => expect(calls).toBe(3))
  await node.deleteWorkspace({ workspaceId, now: w.now })
  await heard(() => expect(calls).toBe(4))
})

test("a change before a node's first poll is announced as well, since it may have read the earlier state", async () => {
  const webhook = await w.webhook(await w.workspace())
  await pause(webhook)
  const ids = webhooksHeard()
  await heard(() => expect(ids).toContain(webhook.id))
})

test('a change announced while no node listens is still noticed', async () => {
  const webhook = await w.webhook(await w.workspace())
  const ids = webhooksHeard()
  await heard(async () => expect(await store.values(LISTENING)).toHaveLength(1))
  await store.values(`SELECT pg_terminate_backend(pid) FROM (${LISTENING}) l`)
  await heard(async () => expect(await store.values(LISTENING)).toEqual([]))
  await pause(webhook)
  await heard(() => expect(ids).toContain(webhook.id))
})

test('a node whose listening connection was lost listens again', async () => {
  let calls = 0
  store.nodes[1].onCredentialsChanged(() => {
    calls++
  })
  await heard(async () => expect(await store.values(LISTENING)).toHaveLength(1))
  const [pid] = await store.values(LISTENING)
  await store.values(`SELECT pg_terminate_backend(${pid})`)
  await heard(async () =>
    expect(await store.values(LISTENING)).toEqual([expect.not.toSatisfy((one) => one === pid)]),
  )
  const workspace = await w.workspace()
  const key = await w.key(workspace)
  await store.nodes[0].revokeKey({ workspaceId: workspace.id, publicId: key.publicId, now: w.now })
  await heard(() => expect(calls).toBe(1))
})
