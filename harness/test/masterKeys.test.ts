import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { query } from '../src/postgres/query.ts'
import { makeLoopbackIdentity } from '../src/receivers/certificate.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { Api } from '../src/support/http.ts'
import { ADMIN_TOKEN, runPosthorn } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'
import { KillableNodes, type NodesOn } from './killableNodes.ts'
import { SignedLoad, WEBHOOKS } from './signedLoad.ts'
import { makeTestDatabase } from './testStore.ts'

/** Replaced secrets of each webhook: re-encrypting them takes some seconds. */
const EARLIER_SECRETS = dose(300, 5_000)
const [OLD, NEW] = [0, 1].map(() => randomBytes(32).toString('base64'))

interface KeyList {
  readonly data: readonly {
    readonly id: string
    readonly current: boolean
    readonly signing_secrets: number
    readonly removable: boolean
  }[]
}

const STORES: readonly NodesOn[] = [
  { name: 'one process on SQLite', nodes: 1, make: async () => ({ settings: {}, remove: async () => {} }) },
  { name: 'several nodes on PostgreSQL', nodes: dose(2, 3), make: makeTestDatabase },
]

describe.each(STORES)('the master key of $name', (store) => {
  let directory: string
  let nodes: KillableNodes
  let receiver: ScriptedReceiver
  let api: Api
  let load: SignedLoad

  beforeEach(async () => {
    directory = makeDirectory()
    const identity = await makeLoopbackIdentity()
    const caFile = path.join(directory, 'ca.pem')
    writeFileSync(caFile, identity.cert)
    const settings = { POSTHORN_EGRESS_CA_FILE: caFile, POSTHORN_MASTER_KEY: OLD! }
    ;[nodes, receiver] = await Promise.all([
      KillableNodes.start(store, settings),
      ScriptedReceiver.start({ identity }),
    ])
    api = new Api(() => nodes.next())
    load = new SignedLoad(await createWorkspace(() => nodes.next(), 'content', 'rotated'), receiver, api)
  })

  afterEach(async () => {
    await load.stop()
    await Promise.all([nodes.remove(), receiver.stop()])
    removeDirectory(directory)
  })

  /** Kills and starts each node in turn, from now on with these keys. */
  async function restartAll(keys: string): Promise<void> {
    nodes.set({ POSTHORN_MASTER_KEY: keys })
    for (let node = 0; node < nodes.count; node++) await restart(node)
  }

  /** Killed nodes count until their leases expire, so a node may have to be started repeatedly, as a supervisor does. */
  async function restart(node: number): Promise<void> {
    await nodes.kill(node)
    await eventually(
      () =>
        nodes.startAgain(node).then(
          () => true,
          (error: Error) => {
            if (!error.message.includes('does not have the key')) throw error
            return null
          },
        ),
      { withinMs: 20_000, everyMs: 200, what: 'a start with these keys' },
    )
  }

  async function keyList(): Promise<KeyList['data']> {
    return (await api.get<KeyList>('/admin/v1/master-keys', { token: ADMIN_TOKEN })).data
  }

  /** Secrets that are not under the new key; `null` if the store cannot be read while it is in use. */
  async function left(newId: string): Promise<number | null> {
    const url = nodes.settingsOf(0).POSTHORN_DATABASE_URL
    if (url === undefined) return null
    const sql = `SELECT count(*)::int AS left FROM posthorn.secrets WHERE substr(sealed, 1, 9) <> decode($1, 'hex')`
    const [row] = await query(url, sql, [`02${newId}`])
    return row!.left as number
  }

  /** A node with only the new key does not start while secrets need the old one, and says so. */
  async function expectRefusedWithout(oldId: string): Promise<void> {
    const alone = { ...nodes.settingsOf(0), POSTHORN_MASTER_KEY: NEW!, POSTHORN_PORT: '0' }
    const { code, stderr } = await runPosthorn(['serve'], alone)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^posthorn: POSTHORN_MASTER_KEY: [^\n]*signing secrets? needs? [^\n]+\n$/),
    ])
    expect(stderr).toContain(oldId)
  }

  async function addEarlierSecrets(): Promise<void> {
    const url = nodes.settingsOf(0).POSTHORN_DATABASE_URL
    if (url === undefined) return
    await query(
      url,
      `INSERT INTO posthorn.secrets (webhook_id, sealed, created_at, expires_at, from_version, until_version)
        SELECT webhook_id, sealed, created_at, created_at, from_version, from_version
        FROM posthorn.secrets, generate_series(1, ${EARLIER_SECRETS})`,
    )
  }

  test('is replaced under load while nodes are killed: every request is signed, and the old key can be removed', {
    timeout: 420_000,
  }, async () => {
    await load.start()
    await addEarlierSecrets()
    const [first] = await keyList()
    expect(first).toMatchObject({ current: true, removable: false })
    expect(first!.signing_secrets).toBeGreaterThanOrEqual(WEBHOOKS)

    await restartAll(`${OLD},${NEW}`)
    expect((await keyList()).map(({ id, current }) => [id === first!.id, current])).toEqual([
      [true, true],
      [false, false],
    ])
    // As long as one node encrypts with the old key, nothing is re-encrypted.
    nodes.set({ POSTHORN_MASTER_KEY: `${NEW},${OLD}` })
    for (let node = 1; node < nodes.count; node++) await restart(node)
    if (nodes.count > 1) await expectRefusedWithout(first!.id)
    await restart(0)
    const newId = (await keyList()).find(({ current }) => current)!.id
    expect(newId).not.toBe(first!.id)
    // Killed during the re-encryption, whichever node does it.
    for (let node = 0; node < nodes.count; node++) await restart(node)
    await eventually(
      async () => (await keyList()).find(({ id }) => id === first!.id)?.removable === true || null,
      { withinMs: 120_000, everyMs: 250, what: 'the end of the old key' },
    )
    const remaining = await left(newId)
    if (remaining !== null) expect(remaining).toBe(0)

    await restartAll(NEW!)
    await load.stop()
    const requests = await load.arrived()
    expect(requests.filter(({ forgery }) => forgery !== null)).toEqual([])
    // Killed nodes are listed until their leases expire.
    const last = await eventually(
      async () => {
        const keys = await keyList()
        return keys.length === 1 ? keys[0]! : null
      },
      { withinMs: 20_000, everyMs: 500, what: 'only one key' },
    )
    expect([last.id, last.current]).toEqual([newId, true])
  })
})
