import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase, dropDatabase } from '../../../../../../harness/src/postgres/databases.ts'
import { randomFrom } from '../../../../../../harness/src/support/random.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { openPostgresStorage } from '../../../../src/storage/postgres/open.ts'
import { type FlatStorage, flat } from '../../../support/flatStorage.ts'
import { postgresUrl } from '../../../support/postgresUrl.ts'
import { World } from '../../conformance/world.ts'
import { ChaosNode, Scene } from './chaos.ts'
import { brokenInvariants } from './invariants.ts'

const NODES = 3
const ACTS = 150
/** Concurrent actions of one node, as in the engine. */
const WORKERS = 3

let url: string
let name: string
let stores: FlatStorage[]
let watcher: pg.Client

beforeEach(async () => {
  const server = await postgresUrl()
  name = `stress_${process.pid}_${Date.now()}`
  url = await createDatabase(server, name)
  stores = await Promise.all(
    Array.from({ length: NODES + 1 }, async () =>
      flat(await openPostgresStorage({ url, clock: systemClock })),
    ),
  )
  watcher = new pg.Client({ connectionString: url, application_name: 'watcher' })
  await watcher.connect()
  await watcher.query('SET search_path = posthorn')
})

afterEach(async () => {
  for (const store of stores) await store.close()
  await watcher.end()
  await dropDatabase(await postgresUrl(), name)
})

/** Ends connections of the nodes at any moment. @returns a function that stops it */
function terminateAtRandom(random: () => number): () => Promise<void> {
  let stopped = false
  const work = (async () => {
    while (!stopped) {
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 100))
      await watcher.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'posthorn' ORDER BY random() LIMIT 2`)
    }
  })()
  return async () => {
    stopped = true
    await work
  }
}

/** Ends all nodes and lets maintenance finish, as the remaining nodes would. */
async function calmDown(world: World): Promise<void> {
  await watcher.query('UPDATE nodes SET lease_until = 0')
  const survivor = await world.node()
  await world.untilDone(() => world.storage.rescueDeliveries({ byNodeId: survivor }))
  await world.untilDone(() => world.storage.cancelDeliveries({ now: world.now, limit: 1000 }))
  await world.storage.retireNode({ nodeId: survivor })
}

describe('several nodes at once', () => {
  test.each([
    ['undisturbed', 1, false],
    ['undisturbed', 2, false],
    ['while connections are cut', 3, true],
    ['while connections are cut', 4, true],
  ])(
    '%s, seed %i: nothing is lost, left over or done twice',
    async (_, seed, cut) => {
      const random = randomFrom(seed)
      const world = new World(stores[NODES]!)
      const scene = await Scene.make(world)
      const nodes = stores.slice(0, NODES).map((storage) => new ChaosNode(storage, scene, random))
      for (const node of nodes) await node.start()
      const stop = cut ? terminateAtRandom(random) : async () => {}
      try {
        await Promise.all(nodes.flatMap((node) => Array.from({ length: WORKERS }, () => node.work(ACTS))))
      } finally {
        await stop()
      }
      await calmDown(world)
      expect(scene.contradictions).toEqual([])
      expect(await brokenInvariants(watcher)).toEqual([])
      expect(await lost(scene)).toEqual([])
      expect(scene.acknowledged.length).toBeGreaterThan(100)
    },
    120_000,
  )
})

/** Acknowledged events whose deliveries differ from those in the answer to the publisher. */
async function lost({ acknowledged }: Scene): Promise<number[]> {
  const { rows } = await watcher.query<{ event_id: string; webhooks: string[] }>(`
    SELECT e.id AS event_id, array_remove(array_agg(d.webhook_id), NULL) AS webhooks
    FROM events e LEFT JOIN deliveries d ON d.event_id = e.id AND d.created_at = e.created_at GROUP BY e.id`)
  const stored = new Map(rows.map((row) => [Number(row.event_id), row.webhooks.map(Number).sort(byNumber)]))
  return acknowledged
    .filter(({ eventId, webhookIds }) => `${stored.get(eventId)}` !== `${[...webhookIds].sort(byNumber)}`)
    .map(({ eventId }) => eventId)
}

const byNumber = (a: number, b: number): number => a - b
