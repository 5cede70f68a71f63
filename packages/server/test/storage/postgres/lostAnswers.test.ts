import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TcpProxy } from '../../../../../harness/src/support/tcpProxy.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts'
import type { Workspace } from '../../../src/storage/rows.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import { type FlatStorage, flat } from '../../support/flatStorage.ts'
import { newTestSchema, type TestSchema } from '../../support/testSchema.ts'
import { World } from '../conformance/world.ts'

/** Locked by the watcher while commits must wait. */
const GATE = 4711

let schema: TestSchema
let proxy: TcpProxy
let storage: FlatStorage
let watcher: pg.Client

beforeEach(async () => {
  schema = await newTestSchema()
  const url = new URL(schema.url)
  proxy = await TcpProxy.start({ host: '127.0.0.1', port: Number(url.port) })
  url.port = `${proxy.port}`
  storage = flat(await openPostgresStorage({ url: url.href, schema: schema.name, clock: systemClock }))
  watcher = await schema.connect()
})

afterEach(async () => {
  await storage.close()
  proxy.stop()
  await watcher.end()
  await schema.drop()
})

/** From now on every lease waits in its commit until the gate is opened. */
async function closeGate(): Promise<void> {
  await watcher.query(`
    CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON leases DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION wait_at_gate();
    SELECT pg_advisory_lock(${GATE})`)
}

async function until(condition: string): Promise<void> {
  for (;;) {
    const { rows } = await watcher.query<{ met: boolean }>(`SELECT ${condition} AS met`)
    if (rows[0]!.met) return
  }
}

const WAITS_AT_GATE = `EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATE} AND NOT granted)`

interface Scene {
  readonly w: World
  readonly workspace: Workspace
  readonly nodeId: number
}

const WAYS: Record<string, (scene: Scene) => Promise<unknown>> = {
  claimed: ({ w, nodeId }) => w.claim(nodeId),
  published: ({ w, workspace, nodeId }) => w.leased(nodeId, workspace, 2),
}

test.each(Object.entries(WAYS))(
  'a delivery %s in a commit whose answer was lost comes to its node with the next claim',
  async (way, call) => {
    const w = new World(storage)
    const workspace = await w.workspace()
    await w.webhook(workspace)
    const nodeId = await w.node()
    await w.waiting(nodeId, workspace, 3)
    await closeGate()
    const answer = call({ w, workspace, nodeId }).catch((error: unknown) => error)
    await until(WAITS_AT_GATE)
    // Nothing reaches the server any more, so that it cannot be canceled.
    proxy.refuse()
    proxy.reset()
    expect(await answer).toBeInstanceOf(StoreUnavailableError)
    await watcher.query(`SELECT pg_advisory_unlock(${GATE})`)
    await until('EXISTS (SELECT 1 FROM leases)')
    await watcher.query('DROP TRIGGER gate ON leases')
    await proxy.heal()
    expect(await w.claimedIds(nodeId)).toHaveLength(way === 'claimed' ? 3 : 5)
  },
)
