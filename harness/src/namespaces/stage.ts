import { randomUUID } from 'node:crypto'
import { SteadyPublisher } from '../database/publisher.ts'
import { Receiver } from '../database/receiver.ts'
import { FAST_SETTINGS, startPostgres } from '../postgres/server.ts'
import { type PosthornProcess, runPosthorn, startService } from '../support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../support/tempDirectory.ts'
import { createWorkspace } from '../support/workspaces.ts'
import { type Host, type Network, Testbed } from './testbed.ts'
import { Witness } from './witness.ts'

const DATABASE = 'posthorn'
const EVENT_TYPE = 'schedule.cancel_required'
const PUBLISH_EVERY_MS = 50
const NODES = 3
/** So slow that a node always has requests to it in flight, and more in its queue. */
const SLOW_MS = 3_000

/** A node and its own host. */
interface StagedNode {
  readonly host: Host
  readonly service: PosthornProcess
}

/**
 * Three nodes on separate hosts, with one network to their database and another to everything else; a
 * continuous publisher, and two receivers of every event.
 */
export interface Stage {
  readonly testbed: Testbed
  readonly storage: Network
  readonly outside: Network
  /** Of the database, as reached from here. */
  readonly databaseUrl: string
  readonly witness: Witness
  readonly nodes: readonly StagedNode[]
  readonly prompt: Receiver
  readonly slow: Receiver
  readonly publisher: SteadyPublisher
  close(): Promise<void>
}

/** @throws Error after it has cleaned up */
export async function openStage(leaseMs: number): Promise<Stage> {
  const cleanUps: (() => unknown)[] = []
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  }
  try {
    return { ...(await build(leaseMs, cleanUps)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function build(leaseMs: number, cleanUps: (() => unknown)[]): Promise<Omit<Stage, 'close'>> {
  const testbed = new Testbed()
  cleanUps.push(() => testbed.remove())
  const storage = testbed.addNetwork('db')
  const outside = testbed.addNetwork('out')
  const server = await startPostgres({ settings: FAST_SETTINGS, network: storage })
  cleanUps.push(() => server.remove())
  const databaseUrl = await server.createDatabase(DATABASE)
  const settings = {
    POSTHORN_DATABASE_URL: `postgres://posthorn@${storage.address}:${server.port}/${DATABASE}`,
    POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    POSTHORN_LEASE: `${leaseMs}ms`,
    POSTHORN_EGRESS_ALLOW: outside.range,
  }
  await migrate(settings)
  const witness = await Witness.install(databaseUrl)
  const nodes: StagedNode[] = []
  for (let number = 0; number < NODES; number++) {
    const host = testbed.addHost()
    const dataDir = makeDirectory()
    cleanUps.push(() => removeDirectory(dataDir))
    const own = { ...settings, POSTHORN_HOST: host.addressIn(outside) }
    const service = await startService({ dataDir, settings: own, via: host.via })
    cleanUps.push(() => service.kill())
    nodes.push({ host, service })
  }
  const [prompt, slow] = await Promise.all([
    Receiver.start({ host: outside.address }),
    Receiver.start({ host: outside.address, delayMs: SLOW_MS }),
  ])
  cleanUps.push(
    () => prompt.stop(),
    () => slow.stop(),
  )
  const urls = nodes.map(
    ({ service }) =>
      () =>
        service.url,
  )
  const workspace = await createWorkspace(urls[0]!, 'content', `cut-${randomUUID()}`)
  await workspace.createWebhook(prompt.url(), [EVENT_TYPE])
  await workspace.createWebhook(slow.url(), [EVENT_TYPE])
  const account = { workspaceId: workspace.id, key: workspace.key }
  const publisher = new SteadyPublisher(urls, account, PUBLISH_EVERY_MS)
  cleanUps.push(() => publisher.stop())
  return { testbed, storage, outside, databaseUrl, witness, nodes, prompt, slow, publisher }
}

/** Installs the witness before the first node starts. */
async function migrate(settings: Readonly<Record<string, string>>): Promise<void> {
  const dataDir = makeDirectory()
  const { code, stderr } = await runPosthorn(['migrate'], { ...settings, POSTHORN_DATA_DIR: dataDir })
  removeDirectory(dataDir)
  if (code !== 0) throw new Error(`posthorn migrate: ${stderr}`)
}
