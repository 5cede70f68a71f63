import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../src/support/workspaces.ts'
import { KillableNodes, NODES_ON_STORES } from './killableNodes.ts'

const CALLERS = 50
const PATIENCE = { withinMs: 60_000, everyMs: 100 }

interface Call {
  readonly method?: 'POST' | 'PATCH'
  readonly path: string
  readonly body?: object
}

describe.each(NODES_ON_STORES)('50 concurrent callers, $name', (store) => {
  let nodes: KillableNodes
  let receiver: ScriptedReceiver

  beforeAll(async () => {
    const settings = { POSTHORN_CONTENT_RETRY: '1h' }
    ;[nodes, receiver] = await Promise.all([KillableNodes.start(store, settings), ScriptedReceiver.start()])
  })
  afterAll(() => Promise.all([nodes.remove(), receiver.stop()]))

  /** A separate workspace, so that no limit is shared. */
  const open = (slug: string) => createWorkspace(() => nodes.next(), 'content', slug)

  /** A webhook whose receiver answers with this status. */
  async function webhookOf(workspace: WorkspaceClient, hook: string, status: number) {
    const webhook = await workspace.createWebhook(receiver.urlOf(hook), [EVENTS.content.common])
    const behavior = { kind: 'status', status, headers: {} } as const
    await receiver.add({ path: hook, scheme: 'standard', secrets: [webhook.secret], behavior })
    return webhook
  }

  /** @returns the number of answers by status */
  async function atOnce(token: string, calls: readonly Call[]): Promise<Record<number, number>> {
    const counts: Record<number, number> = {}
    await Promise.all(
      calls.map(async ({ method = 'POST', path, body }) => {
        const response = await fetch(`${nodes.next()}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body ?? {}),
        })
        await response.arrayBuffer()
        counts[response.status] = (counts[response.status] ?? 0) + 1
      }),
    )
    return counts
  }

  const same = (call: Call): readonly Call[] => Array<Call>(CALLERS).fill(call)

  /** The requests to a hook, once all deliveries of its webhook are finished. @param count of deliveries */
  async function settledAt(
    hook: string,
    { workspace, id }: { workspace: WorkspaceClient; id: string },
    count: number,
  ) {
    await eventually(
      async () => {
        const log = await workspace.deliveries(id)
        return (log.length >= count && log.every(({ status }) => status !== 'pending')) || null
      },
      { ...PATIENCE, what: `the end of ${count} deliveries to ${hook}` },
    )
    return (await receiver.requests()).filter((request) => request.hook === hook)
  }

  test('that send tests get as many as the limit allows, each sent once', async () => {
    const workspace = await open('tests')
    const webhook = await webhookOf(workspace, '/tests', 500)
    const path = `${workspace.webhookPath(webhook.id)}/test`
    expect(await atOnce(workspace.key, same({ path }))).toEqual({ 202: 10, 429: 40 })
    const seen = await settledAt('/tests', { workspace, ...webhook }, 10)
    expect(new Set(seen.map(({ eventId }) => eventId)).size).toBe(10)
    // A test that fails is not retried.
    expect(seen).toHaveLength(10)
  })

  test('that retry one delivery cause one more attempt', async () => {
    const workspace = await open('retry')
    const webhook = await webhookOf(workspace, '/retry', 503)
    await workspace.publish([EVENTS.content.make(EVENTS.content.common)])
    const delivery = await eventually(
      async () =>
        (await workspace.deliveries(webhook.id)).find(({ attempts }) => attempts.length === 1) ?? null,
      { ...PATIENCE, what: 'the first attempt' },
    )
    await receiver.behave('/retry', { kind: 'slow', delayMs: 500 })
    const path = `${workspace.webhookPath(webhook.id)}/deliveries/${delivery.id}/retry`
    const counts = await atOnce(workspace.key, same({ path }))
    expect(Object.keys(counts).every((status) => ['202', '409', '429'].includes(status))).toBe(true)
    expect(counts[202]).toBeGreaterThan(0)
    expect(await settledAt('/retry', { workspace, ...webhook }, 1)).toHaveLength(2)
  })

  test('that create the operational webhook create one', async () => {
    const workspace = await open('operational')
    const path = `/v1/workspaces/${workspace.id}/operational-webhook`
    const body = { url: receiver.urlOf('/operational') }
    expect(await atOnce(workspace.key, same({ path, body }))).toEqual({ 201: 1, 409: CALLERS - 1 })
  })

  test('that pause and resume leave it in one stable state', async () => {
    const workspace = await open('pause')
    const { common, make } = EVENTS.content
    const webhook = await webhookOf(workspace, '/pause', 204)
    const change = (paused: boolean): Call => ({
      method: 'PATCH',
      path: workspace.webhookPath(webhook.id),
      body: { paused },
    })
    const mixed = Array.from({ length: CALLERS }, (_, caller) => change(caller % 2 === 0))
    expect(await atOnce(workspace.key, mixed)).toEqual({ 200: CALLERS })
    expect(await atOnce(workspace.key, [change(true)])).toEqual({ 200: 1 })
    await workspace.publish([make(common)])
    expect(await atOnce(workspace.key, same(change(false)))).toEqual({ 200: CALLERS })
    const [sent] = await workspace.publish([make(common)])
    const seen = await settledAt('/pause', { workspace, ...webhook }, 1)
    expect(seen.map(({ eventId }) => eventId)).toEqual([sent])
  })
})
