import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { query } from '../src/postgres/query.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { type PosthornProcess, runPosthorn, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually, within } from '../src/support/waiting.ts'
import { createWorkspace } from '../src/support/workspaces.ts'
import { makeTestDatabase } from './testStore.ts'

const newKey = () => randomBytes(32).toString('base64')
const MASTER_KEY = newKey()

let directory: string
let database: Awaited<ReturnType<typeof makeTestDatabase>>
let receiver: ScriptedReceiver
let nodes: readonly PosthornProcess[]

const settingsOf = (node: string, masterKey = MASTER_KEY) => ({
  ...database.settings,
  POSTHORN_DATA_DIR: path.join(directory, node),
  POSTHORN_MASTER_KEY: masterKey,
  // Renewed often, so that a renewal soon notices a change.
  POSTHORN_LEASE: '2s',
})

beforeAll(async () => {
  directory = makeDirectory()
  database = await makeTestDatabase()
  receiver = await ScriptedReceiver.start()
  const start = (node: string) =>
    startService({ dataDir: path.join(directory, node), settings: settingsOf(node) })
  nodes = await Promise.all(['one', 'two', 'three'].map(start))
})

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()))
  await receiver.stop()
  await database.remove()
  removeDirectory(directory)
})

test('nodes that start together on an empty database serve it together, whichever of them is called', async () => {
  const { common, make } = EVENTS.content
  let turn = 0
  const next = () => nodes[turn++ % nodes.length]!.url
  const workspace = await createWorkspace(next, 'content', 'several-nodes')
  const { id, secret } = await workspace.createWebhook(receiver.urlOf('/hook'), [common])
  const behavior = { kind: 'prompt' } as const
  await receiver.add({ path: '/hook', scheme: workspace.scheme, secrets: [secret], behavior })
  const published: string[] = []
  for (let i = 0; i < 30; i++) published.push(...(await workspace.publish([make(common), make(common)])))
  const log = await eventually(
    async () => {
      const deliveries = await workspace.deliveries(id)
      return deliveries.every(({ status }) => status === 'delivered') ? deliveries : null
    },
    { withinMs: 20_000, what: 'delivery of all events' },
  )
  expect(log.map(({ eventId }) => eventId).sort()).toEqual(published.sort())
  const requests = await receiver.requests()
  expect(requests.map(({ eventId }) => eventId).sort()).toEqual(published)
  expect(requests.filter(({ forgery }) => forgery !== null)).toEqual([])
})

test('a node with another master key reports that in one line and does not start', async () => {
  const { code, stderr } = await runPosthorn(['serve'], {
    ...settingsOf('four', newKey()),
    POSTHORN_PORT: '0',
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^posthorn: POSTHORN_MASTER_KEY: [^\n]+ of the first node [^\n]+\n$/)
})

test('nodes end with one line when a newer program has created a schema that they do not know, and do not start again', async () => {
  const refusal =
    /^posthorn: the database has schema version 1000, this release supports up to \d+: [^\n]+\n$/
  await query(database.url, `INSERT INTO posthorn.migrations VALUES (1000, 'of tomorrow', '', 1000, 0)`)
  for (const node of nodes) {
    expect(await within(node.exited, 20_000, 'end of a node')).toEqual({ code: 1, signal: null })
    expect(node.stderr).toMatch(refusal)
  }
  const { code, stderr } = await runPosthorn(['serve'], { ...settingsOf('one'), POSTHORN_PORT: '0' })
  expect(code).toBe(1)
  expect(stderr).toMatch(refusal)
})
