import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeLoopbackIdentity } from '../src/receivers/certificate.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { buildServerAt, hasCommit } from '../src/support/earlierBuild.ts'
import { Api } from '../src/support/http.ts'
import { runPosthorn } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { createWorkspace } from '../src/support/workspaces.ts'
import { KillableNodes } from './killableNodes.ts'
import { SignedLoad } from './signedLoad.ts'
import { makeTestDatabase } from './testStore.ts'

/**
 * The last commit with schema version 11, whose program keeps running next to later steps. Use the program of
 * the newest kept release instead once that does, too.
 */
const EARLIER = '81e716aae8eb50869f792d513768384b8a8910b6'
const NODES = 3
/** There and back. In the second one, the nodes that were stopped in the first die. */
const ROUNDS = 2
/** Between two steps of an upgrade. */
const EVENTS_BETWEEN = 10
/** Rarely: the receiver tries all its secrets on every request. */
const ROTATE_EVERY_MS = 500

let directory: string
let receiver: ScriptedReceiver
let nodes: KillableNodes | null
let load: SignedLoad | null

beforeEach(async () => {
  directory = makeDirectory()
  nodes = null
  load = null
})

afterEach(async () => {
  await load?.stop()
  await Promise.all([nodes?.remove(), receiver?.stop()])
  removeDirectory(directory)
})

test('three nodes are upgraded one by one under load, and back: nothing is lost or wrongly signed', {
  timeout: 600_000,
}, async ({ skip }) => {
  if (!hasCommit(EARLIER)) skip(`the history of this checkout has no commit ${EARLIER}`)
  const earlier = path.join(directory, 'earlier')
  mkdirSync(earlier)
  const before = buildServerAt(EARLIER, earlier)
  const identity = await makeLoopbackIdentity()
  const caFile = path.join(directory, 'ca.pem')
  writeFileSync(caFile, identity.cert)
  receiver = await ScriptedReceiver.start({ identity })
  const all = await KillableNodes.start(
    { name: 'nodes of the earlier build', nodes: NODES, make: makeTestDatabase },
    { POSTHORN_EGRESS_CA_FILE: caFile },
    before,
  )
  nodes = all
  load = new SignedLoad(
    await createWorkspace(() => all.next(), 'content', 'rolled'),
    receiver,
    new Api(() => all.next()),
    ROTATE_EVERY_MS,
  )
  await load.start()
  await load.accepts(EVENTS_BETWEEN)
  const plan = () => runPosthorn(['migrate', '--plan'], settingsForPlan(all))
  const planned = await plan()
  expect([planned.code, planned.stderr]).toEqual([2, ''])
  expect(planned.stdout).toContain('3 nodes are running. Older nodes keep working')

  for (let round = 0; round < ROUNDS; round++)
    for (const program of [undefined, before])
      for (let node = 0; node < NODES; node++) {
        // Some are stopped, some die.
        if ((round + node) % 2 === 0) expect(await all.stop(node)).toEqual({ code: 0, signal: null })
        else await all.kill(node)
        await load.accepts(EVENTS_BETWEEN)
        await all.startAgain(node, program)
        await load.accepts(EVENTS_BETWEEN)
      }
  expect((await plan()).code).toBe(0)
  await load.stop()
  const requests = await load.arrived()
  expect(requests.filter(({ forgery }) => forgery !== null)).toEqual([])
  expect(load.rotated).toBeGreaterThan(0)
})

function settingsForPlan(all: KillableNodes) {
  const { POSTHORN_DATABASE_URL = '', POSTHORN_DATA_DIR = '' } = all.settingsOf(0)
  return { POSTHORN_DATABASE_URL, POSTHORN_DATA_DIR }
}
