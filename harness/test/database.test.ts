import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCrampedDatabase } from '../src/database/crampedDatabase.ts'
import { ConnectionHog } from '../src/database/hog.ts'
import { type Outcome, Scene } from '../src/database/scene.ts'
import { TableLock } from '../src/database/tableLock.ts'
import { query } from '../src/postgres/query.ts'
import { replicasPossible, startReplica } from '../src/postgres/replica.ts'
import { FAST_SETTINGS, type PostgresServer, startPostgres } from '../src/postgres/server.ts'
import { type Settings, spawnService } from '../src/support/posthorn.ts'
import { TcpProxy } from '../src/support/tcpProxy.ts'
import { makeDirectory } from '../src/support/tempDirectory.ts'

const NAME = 'posthorn'
/** Concurrent tests share two cores. */
const TEST = { timeout: 240_000 }
const NO_REPLICAS = 'PostgreSQL here has no pg_basebackup'

const cleanUps: (() => unknown)[] = []
/** For faults that affect only one database. */
let shared: PostgresServer

beforeAll(async () => {
  shared = await ownServer()
})

afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

async function ownServer(settings: Settings = {}): Promise<PostgresServer> {
  const server = await startPostgres({ settings: { ...FAST_SETTINGS, ...settings } })
  cleanUps.push(() => server.remove())
  return server
}

/** A primary with the database, and a replica that must confirm every commit. */
async function primaryAndReplica(): Promise<[primary: PostgresServer, replica: PostgresServer]> {
  const primary = await ownServer()
  await primary.createDatabase(NAME)
  const replica = await startReplica(primary, { synchronous: true })
  cleanUps.push(() => replica.remove())
  return [primary, replica]
}

async function proxyTo({ port }: PostgresServer): Promise<TcpProxy> {
  const proxy = await TcpProxy.start({ host: '127.0.0.1', port })
  cleanUps.push(() => proxy.stop())
  return proxy
}

const urlAt = (...ports: readonly number[]) =>
  `postgres://posthorn@${ports.map((port) => `127.0.0.1:${port}`).join()}/${NAME}`

async function sceneAt(databaseUrl: string): Promise<Scene> {
  const scene = await Scene.open(databaseUrl)
  cleanUps.push(() => scene.close())
  return scene
}

/** Checks the invariants, and prints the metrics. */
async function conclude(name: string, scene: Scene, databaseUrl: string): Promise<Outcome> {
  const outcome = await scene.conclude(databaseUrl)
  const { complaints, ...metrics } = outcome
  process.stdout.write(`database fault: ${name}: ${JSON.stringify(metrics)}\n`)
  expect(complaints).toEqual([])
  expect(metrics.accepted).toBeGreaterThan(0)
  return outcome
}

describe.concurrent(
  'acknowledged events are kept and delivered, and the node recovers without a restart, when',
  TEST,
  () => {
    test('the database goes silent for long, which the log reports in few lines', async () => {
      const direct = await shared.createDatabase('silent')
      const proxy = await proxyTo(shared)
      const scene = await sceneAt(direct.replace(`${shared.port}`, `${proxy.port}`))
      const before = scene.logLines.length
      proxy.silence('requests', 'answers')
      await scene.refuses()
      await scene.logs('the store is still unavailable')
      await proxy.heal()
      await scene.works()
      const lines = scene.logLines.slice(before)
      expect(lines.length, lines.join('\n')).toBeLessThan(25)
      // At most once more: a call that began before the end may time out after it.
      const reports = lines.filter((line) => line.includes('the store is unavailable'))
      expect(reports.length, reports.join('\n')).toBeGreaterThan(0)
      expect(reports.length, reports.join('\n')).toBeLessThanOrEqual(2)
      await conclude('silent for long', scene, direct)
    })

    test('the server is restarted, shut down at once, killed, made read-only', async () => {
      const server = await ownServer()
      const url = await server.createDatabase(NAME)
      const scene = await sceneAt(url)
      for (const end of [() => server.stop('fast'), () => server.stop('immediate'), () => server.kill()]) {
        await end()
        await scene.refuses()
        await server.start()
        await scene.works()
      }
      await server.query('alter system set default_transaction_read_only = on')
      await server.query('select pg_reload_conf()')
      await scene.refuses()
      const writing = `${server.url()}?options=${encodeURIComponent('-c default_transaction_read_only=off')}`
      await query(writing, 'alter system reset default_transaction_read_only')
      await query(writing, 'select pg_reload_conf()')
      await scene.works()
      await conclude('ends of the server', scene, url)
    })

    test('its connections are ended repeatedly, and are read-only for a while', async () => {
      const url = await shared.createDatabase('ended')
      const scene = await sceneAt(url)
      const endAll = () =>
        query(
          url,
          `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'posthorn' and datname = current_database()`,
        )
      for (let times = 0; times < 20; times++) {
        await scene.connected(url)
        await endAll()
      }
      await scene.works()
      await shared.query('alter database ended set default_transaction_read_only = on')
      await endAll()
      await scene.refuses()
      await shared.query('alter database ended reset default_transaction_read_only')
      await scene.works()
      await conclude('ended connections', scene, url)
    })

    test('the database receives but does not answer; a stop in that time still completes', async () => {
      const direct = await shared.createDatabase('mute')
      const proxy = await proxyTo(shared)
      const url = direct.replace(`${shared.port}`, `${proxy.port}`)
      const scene = await sceneAt(url)
      for (let times = 0; times < 2; times++) {
        proxy.silence('answers')
        await scene.refuses()
        await proxy.heal()
        await scene.works()
      }
      await conclude('no answers', scene, direct)
      const stopped = await sceneAt(url)
      proxy.silence('requests', 'answers')
      await stopped.refuses()
      expect(await stopped.service.stop()).toEqual({ code: 0, signal: null })
      await proxy.heal()
    })

    test('other clients have taken all connections', async () => {
      const server = await ownServer({ max_connections: '20', superuser_reserved_connections: '0' })
      const url = await server.createDatabase(NAME)
      const hog = await ConnectionHog.start(url)
      cleanUps.push(() => hog.stop())
      const scene = await sceneAt(url)
      await hog.takeAll()
      await scene.refuses()
      await hog.stop()
      await scene.works()
      await conclude('no connections left', scene, url)
    })

    test.for(['events', 'workspaces'])('another client locks the table %s', async (table) => {
      const url = await shared.createDatabase(`locked_${table}`)
      const scene = await sceneAt(url)
      const lock = await TableLock.take(url, `posthorn.${table}`)
      cleanUps.push(() => lock.release())
      await scene.refuses()
      await lock.release()
      await scene.works()
      await conclude(`lock on ${table}`, scene, url)
    })

    test('the disk of the database is full', async ({ skip }) => {
      const server = await ownServer()
      const cramped = await createCrampedDatabase(server, NAME).catch((error: Error) => error)
      if (cramped instanceof Error) return skip(`no disk can be made here: ${cramped.message}`)
      const { url, disk } = cramped
      cleanUps.push(() => disk.unmount())
      const scene = await sceneAt(url)
      disk.fill()
      await scene.refuses()
      disk.makeRoom()
      await scene.works()
      await conclude('full disk', scene, url)
    })

    test('the primary fails and its replica takes over, with both in the URL', async ({ skip }) => {
      skip(!replicasPossible(), NO_REPLICAS)
      const [primary, replica] = await primaryAndReplica()
      const scene = await sceneAt(urlAt(primary.port, replica.port))
      await primary.kill()
      await scene.refuses()
      await replica.promote()
      await scene.works()
      await conclude('failover by two hosts', scene, urlAt(replica.port))
    })

    test('the replica stops confirming; then the primary fails, and a proxy switches to the replica', async ({
      skip,
    }) => {
      skip(!replicasPossible(), NO_REPLICAS)
      const [primary, replica] = await primaryAndReplica()
      const proxy = await proxyTo(primary)
      const scene = await sceneAt(urlAt(proxy.port))
      await replica.stop('immediate')
      await scene.refuses()
      await replica.start()
      await scene.works()
      await primary.kill()
      await scene.refuses()
      await replica.promote()
      proxy.retarget({ host: '127.0.0.1', port: replica.port })
      await scene.works()
      await conclude('failover by a proxy', scene, urlAt(replica.port))
    })
  },
)

describe.concurrent('a start', TEST, () => {
  const settingsFor = (databaseUrl: string): Settings => ({
    POSTHORN_DATABASE_URL: databaseUrl,
    POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  })

  async function failsOn(databaseUrl: string): Promise<string> {
    const service = spawnService({ dataDir: makeDirectory(), settings: settingsFor(databaseUrl) })
    cleanUps.push(() => service.kill())
    expect(await service.exited).toEqual({ code: 1, signal: null })
    expect(service.stderr).toMatch(/^posthorn: [^\n]+\n$/)
    return service.stderr
  }

  test('without a database ends with one line: a supervisor restarts it', async () => {
    const proxy = await proxyTo(shared)
    proxy.refuse()
    expect(await failsOn(urlAt(proxy.port))).toContain('ECONNREFUSED')
    await proxy.heal()
    proxy.silence('requests', 'answers')
    expect(await failsOn(urlAt(proxy.port))).toContain('timeout')
  })

  test('finds the writable server, wherever it is in the URL; without one it ends', async ({ skip }) => {
    skip(!replicasPossible(), NO_REPLICAS)
    const [primary, replica] = await primaryAndReplica()
    expect(await failsOn(urlAt(replica.port))).toContain('read-only')
    const proxy = await proxyTo(primary)
    proxy.silence('requests', 'answers')
    const scene = await sceneAt(urlAt(1, proxy.port, replica.port, primary.port))
    await conclude('a standby first', scene, urlAt(primary.port))
  })
})
