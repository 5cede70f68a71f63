import { afterEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../src/core/duration.ts'
import type { StatusJson } from '../../src/http/admin/status/schema.ts'
import type { AppDeps } from '../../src/http/app.ts'
import { publish, withWebhook } from './content.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
const never = () => new Promise<never>(() => {})
const reject = async () => {
  throw new Error('the store is away')
}

afterEach(() => service.stop())

const statusOf = async (): Promise<StatusJson> => {
  const { status, json } = await service.admin('GET', '/status')
  expect(status).toBe(200)
  return json
}

/** The HTTP layer on a store with replaced reads. */
const onStore =
  (listNodes: () => Promise<never> | null) =>
  ({ storage, engine }: AppDeps): Partial<AppDeps> => ({
    storage: {
      ...storage,
      nodes: { listNodes: (params) => listNodes() ?? storage.nodes.listNodes(params) },
    },
    engine,
  })

describe('the status of a node', () => {
  it('that is healthy shows its data, and that there is nothing to do', async () => {
    service = await startTestService()
    const status = await statusOf()
    expect(status).toMatchObject({
      accepts_events: true,
      holds_lease: true,
      egress_closed_since: null,
      all_egress_closed_since: null,
      nodes: [{ id: status.node_id, version: status.version, answering: true, alive: true }],
      rates: { events: 0, attempts: 0, failed_attempts: 0, delivered: 0 },
      queue: { pending: 0, due: 0, oldest_due_at: null },
      webhooks: { on: 0, failing: 0, disabled_last_hour: 0 },
      failing_workspaces: [],
      outbox: null,
      to_do: [],
    })
    expect(status.disk!.free_bytes).toBeLessThan(status.disk!.size_bytes)
  })

  it('reads the store once for all callers within five seconds', async () => {
    let asked = 0
    service = await startTestService(
      onStore(() => {
        asked += 1
        return null
      }),
    )
    await Promise.all([statusOf(), statusOf(), statusOf()])
    expect(asked).toBe(1)
    service.clock.forward(6000)
    await statusOf()
    expect(asked).toBe(2)
  })

  it('whose store does not answer, or fails, says so and still answers', async () => {
    for (const read of [never, reject]) {
      service = await startTestService((deps) => ({
        ...onStore(read)(deps),
        isReady: async () => false,
        overview: { current: read },
        storeFacts: { kind: 'postgresql', schemaVersion: 1, bytes: read },
      }))
      const status = await statusOf()
      expect(status).toMatchObject({
        accepts_events: false,
        nodes: null,
        webhooks: null,
        store: { bytes: null },
      })
      expect(status.to_do.map(({ code }) => code)).toEqual(['PosthornTakesNoEvents'])
      if (read === never) await service.stop()
    }
  })

  it('names the workspaces with failing attempts, and hides their URLs', async () => {
    service = await startTestService(undefined, { waitsMs: [DAY_MS] })
    service.receiver.answer((response) => void response.writeHead(500).end())
    const { ws } = await withWebhook(service, `${service.receiver.url}?secret=hunter2`)
    const recorded = service.recorded(1)
    expect((await publish(service, ws)).status).toBe(202)
    await recorded
    // The ranking is updated within seconds.
    const status = await vi.waitFor(
      async () => {
        service.clock.forward(6000)
        const one = await statusOf()
        expect(one.failing_workspaces).toHaveLength(1)
        return one
      },
      { timeout: 30_000, interval: 500 },
    )
    expect(status.failing_workspaces).toMatchObject([
      { workspace: { slug: ws.slug }, attempts: 1, failed: 1 },
    ])
    expect(status.queue).toMatchObject({ pending: 1, oldest_pending_reason: 'retry' })
    expect(JSON.stringify(status)).not.toContain('hunter2')
  })
})
