import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SmallDisk } from '../../src/faults/stores/disk.ts'
import { providePrometheus } from '../../src/prometheus/install.ts'
import { PrometheusServer } from '../../src/prometheus/server.ts'
import { ScriptedReceiver } from '../../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../../src/support/events.ts'
import { ForwardProxy } from '../../src/support/forwardProxy.ts'
import { freePort } from '../../src/support/freePort.ts'
import { type PosthornProcess, runPosthorn, startService } from '../../src/support/posthorn.ts'
import { TcpProxy } from '../../src/support/tcpProxy.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../../src/support/workspaces.ts'
import { makeTestDatabase } from '../testStore.ts'

const OPS = fileURLToPath(new URL('../../../ops/', import.meta.url))
const WEBHOOKS = 10
const FAILING = 6
const PUBLISH_EVERY_MS = 100
/** From a fault to the alert, and from its end to the end of the alert. */
const WITHIN_MS = 60_000

const { programs, missing } = await providePrometheus()
if (missing !== null) process.stderr.write(`No alert is raised for real: ${missing}\n`)

/** The same rules with seconds instead of minutes or hours. */
function quickRules(file: string): void {
  const quick = readFileSync(path.join(OPS, 'alerts.yaml'), 'utf8')
    .replace(/^( +)for: .*$/gm, '$1for: 1s')
    .replace(/\[\d+[mh](:1m)?\]/g, (_, step) => (step === undefined ? '[10s]' : '[10s:1s]'))
    .replace(/offset \d+[mh]/g, 'offset 10s')
  writeFileSync(file, quick)
}

describe.skipIf(programs === null)('alerts of a real Prometheus', () => {
  let directory: string
  let prometheus: PrometheusServer
  let database: Awaited<ReturnType<typeof makeTestDatabase>>
  let databasePath: TcpProxy
  let egress: ForwardProxy
  let receiver: ScriptedReceiver
  let port: number
  let service: PosthornProcess
  let workspace: WorkspaceClient
  let producer: pg.Client
  let publishing: Promise<void>
  let isOver = false
  let disk: SmallDisk | null = null
  let embedded: PosthornProcess | null = null

  const start = () =>
    startService({
      dataDir: path.join(directory, 'data'),
      settings: {
        POSTHORN_PORT: String(port),
        POSTHORN_DATABASE_URL: through(database.url, databasePath.port),
        POSTHORN_LEASE: '3s',
        POSTHORN_CONTENT_RETRY: '1s,2s,2s,2s,2s,2s,2s',
        POSTHORN_CONTENT_TIMEOUT: '2s',
        POSTHORN_EGRESS_PROXY: egress.url,
        POSTHORN_EGRESS_PROBE: new URL(receiver.urlOf('/')).host,
        POSTHORN_OUTBOX_SOURCE: database.url,
        POSTHORN_OUTBOX_SCHEMA: 'outbox',
      },
    })

  beforeAll(async () => {
    directory = makeDirectory()
    ;[database, egress, receiver, port] = await Promise.all([
      makeTestDatabase(),
      ForwardProxy.start(),
      ScriptedReceiver.start(),
      freePort(),
    ])
    const { hostname, port: databasePort } = new URL(database.url)
    databasePath = await TcpProxy.start({ host: hostname, port: Number(databasePort) })
    producer = new pg.Client({ connectionString: database.url })
    await producer.connect()
    await producer.query((await runPosthorn(['outbox', 'sql', '--schema', 'outbox'])).stdout)
    service = await start()
    workspace = await createWorkspace(() => service.url, 'content', 'acme')
    const { common } = EVENTS.content
    for (let i = 0; i < WEBHOOKS; i++) {
      const { secret } = await workspace.createWebhook(receiver.urlOf(`/${i}`), [common])
      const hook = { path: `/${i}`, scheme: workspace.scheme, secrets: [secret] }
      await receiver.add({ ...hook, behavior: { kind: 'prompt' } })
    }
    const targets = [`127.0.0.1:${port}`]
    try {
      disk = new SmallDisk(path.join(directory, 'disk'))
      embedded = await startService({ dataDir: path.join(directory, 'disk', 'data') })
      targets.push(new URL(embedded.url).host)
    } catch (error) {
      process.stderr.write(`No alert is raised for a full disk: ${(error as Error).message}\n`)
    }
    const rulesFile = path.join(directory, 'alerts.yaml')
    quickRules(rulesFile)
    prometheus = await PrometheusServer.start({ programs: programs!, directory, rulesFile, targets })
    publishing = publishAllTheTime()
  })

  afterAll(async () => {
    isOver = true
    await publishing
    await Promise.all([service.kill(), embedded?.kill(), prometheus.stop(), receiver.stop(), producer.end()])
    egress.stop()
    databasePath.stop()
    disk?.unmount()
    await database.remove()
    removeDirectory(directory)
  })

  /** Through the API, and through the outbox. Failed publishes are ignored: the next one comes soon. */
  async function publishAllTheTime(): Promise<void> {
    const { common, make } = EVENTS.content
    while (!isOver) {
      const event = make(common)
      await workspace.publish([event]).catch(() => {})
      await producer
        .query('SELECT outbox.emit($1, $2)', [
          workspace.id,
          JSON.stringify({ type: event.type, data: event.content }),
        ])
        .catch(() => {})
      await sleep(PUBLISH_EVERY_MS)
    }
  }

  const fires = (alert: string) =>
    eventually(async () => ((await prometheus.firing()).has(alert) ? true : null), {
      withinMs: WITHIN_MS,
      everyMs: 250,
      what: `alert ${alert}`,
    })
  const ends = (alert: string) =>
    eventually(async () => ((await prometheus.firing()).has(alert) ? null : true), {
      withinMs: WITHIN_MS,
      everyMs: 250,
      what: `end of the alert ${alert}`,
    })
  const behave = (behavior: { kind: 'prompt' } | { kind: 'status'; status: number }) =>
    Promise.all(Array.from({ length: FAILING }, (_, i) => receiver.behave(`/${i}`, behavior as never)))

  test('webhooks that fail', async () => {
    await behave({ kind: 'status', status: 500 })
    await fires('PosthornManyWebhooksFailing')
    await fires('PosthornMostAttemptsFail')
    expect(await prometheus.firing()).not.toContain('PosthornEgressClosed')
    await behave({ kind: 'prompt' })
    await ends('PosthornManyWebhooksFailing')
  })

  test('the egress is blocked', async () => {
    egress.refuseWith(502)
    // The node with the small disk does not use the proxy.
    const alert = embedded === null ? 'PosthornEgressClosed' : 'PosthornNodeEgressClosed'
    await fires(alert)
    expect(await prometheus.firing()).not.toContain('PosthornTakesNoEvents')
    await egress.heal()
    await ends(alert)
  })

  test('the database is unavailable', async () => {
    databasePath.refuse()
    databasePath.reset()
    await (embedded === null ? fires('PosthornTakesNoEvents') : fires('PosthornNodeNotReady'))
    await databasePath.heal()
    await ends('PosthornNodeNotReady')
    await ends('PosthornTakesNoEvents')
  })

  test('a node is killed', async () => {
    await service.kill()
    await fires('PosthornNodeDown')
    service = await start()
    await ends('PosthornNodeDown')
  })

  test('a workspace of the outbox is unknown', async () => {
    await producer.query('SELECT outbox.emit($1, $2)', [
      'acne',
      JSON.stringify({ type: EVENTS.content.common, data: {} }),
    ])
    await fires('PosthornOutboxBlocked')
    const settings = { POSTHORN_OUTBOX_SOURCE: database.url, POSTHORN_OUTBOX_SCHEMA: 'outbox' }
    const drop = ['outbox', 'drop', '--waiting', '--workspace', 'acne', '--yes']
    expect((await runPosthorn(drop, settings)).code).toBe(0)
    await ends('PosthornOutboxBlocked')
  })

  test('a disk is full', async ({ skip }) => {
    if (disk === null) return skip('this machine mounts nothing')
    disk.fill()
    await fires('PosthornDiskFull')
    disk.makeRoom()
    await ends('PosthornDiskFull')
  })

  test('every query of the dashboard returns numbers', async () => {
    // Some panels show failures, and deliveries waiting because of them.
    await behave({ kind: 'status', status: 500 })
    const { panels } = JSON.parse(readFileSync(path.join(OPS, 'dashboard.json'), 'utf8')) as {
      panels: readonly { title: string; targets?: readonly { expr: string }[] }[]
    }
    const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
    expect(queries.length).toBeGreaterThan(50)
    for (const { title, expr } of queries) {
      const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '20s')
      await eventually(
        async () => {
          const samples = await prometheus.query(query)
          return samples.some(({ value: [, value] }) => Number.isFinite(Number(value))) ? true : null
        },
        { withinMs: WITHIN_MS, everyMs: 500, what: `numbers for ${title}: ${query}` },
      )
    }
  })
})

/** The same database through a port of this machine. */
function through(url: string, port: number): string {
  const there = new URL(url)
  there.hostname = '127.0.0.1'
  there.port = String(port)
  return there.href
}
