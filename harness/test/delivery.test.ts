import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Behavior } from '../src/receivers/behavior.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { type PosthornProcess, type Settings, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import {
  createWorkspace,
  type DialectName,
  type LoggedDelivery,
  type WorkspaceClient,
} from '../src/support/workspaces.ts'
import { makeTestStore, type TestStore } from './testStore.ts'

const DIALECTS: readonly DialectName[] = ['content', 'ads']
const RETRY: Settings = { POSTHORN_CONTENT_RETRY: '50ms,50ms,50ms', POSTHORN_ADS_RETRY: '50ms,50ms,50ms' }

let directory: string
let store: TestStore
let receiver: ScriptedReceiver
let service: PosthornProcess

const start = () =>
  startService({ dataDir: path.join(directory, 'data'), settings: { ...RETRY, ...store.settings } })

beforeEach(async () => {
  directory = makeDirectory()
  store = await makeTestStore()
  receiver = await ScriptedReceiver.start()
  service = await start()
})

afterEach(async () => {
  await Promise.all([service.kill(), receiver.stop()])
  await store.remove()
  removeDirectory(directory)
})

async function subscribe(
  dialect: DialectName,
  types: readonly string[],
  behavior: Behavior,
): Promise<{ readonly workspace: WorkspaceClient; readonly readLog: () => Promise<LoggedDelivery[]> }> {
  const workspace = await createWorkspace(() => service.url, dialect, `acceptance-${dialect}`)
  const hook = `/${dialect}`
  const { id, secret } = await workspace.createWebhook(receiver.urlOf(hook), types)
  await receiver.add({ path: hook, scheme: workspace.scheme, secrets: [secret], behavior })
  return { workspace, readLog: () => workspace.deliveries(id) }
}

describe.each(DIALECTS)('%s', (dialect) => {
  const { common, rare, make } = EVENTS[dialect]

  test('a published event arrives signed, once, and is delivered in the log; other types do not arrive', async () => {
    const { workspace, readLog } = await subscribe(dialect, [common], { kind: 'prompt' })
    const [wanted] = await workspace.publish([make(common), make(rare)])
    await eventually(
      async () => {
        const [delivery] = await readLog()
        return delivery?.status === 'delivered' ? true : null
      },
      { withinMs: 10_000, what: 'delivery' },
    )
    const requests = await receiver.requests()
    expect(requests.map(({ eventId, forgery }) => ({ eventId, forgery }))).toEqual([
      { eventId: wanted, forgery: null },
    ])
    expect(await readLog()).toMatchObject([
      { eventId: wanted, attempts: [{ number: 1, statusCode: 204, error: null }] },
    ])
  })

  test('SIGTERM lets attempts in flight finish and exits 0; they are recorded and not repeated', async () => {
    const { workspace, readLog } = await subscribe(dialect, [common], { kind: 'slow', delayMs: 2_000 })
    await workspace.publish([make(common), make(common), make(common)])
    await eventually(async () => ((await receiver.count()).underWay === 3 ? true : null), {
      withinMs: 10_000,
      what: 'three attempts in flight',
    })
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    const requests = await receiver.requests()
    expect(requests.map(({ status, answeredAt }) => status === 204 && answeredAt !== null)).toEqual([
      true,
      true,
      true,
    ])

    service = await start()
    const log = await readLog()
    expect(log.map(({ status, attempts }) => [status, attempts.length])).toEqual(
      Array.from({ length: 3 }, () => ['delivered', 1]),
    )
    expect((await receiver.count()).requests).toBe(3)
  })
})
