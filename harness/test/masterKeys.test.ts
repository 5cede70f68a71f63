import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { query } from '../src/postgres/query.ts'
import { makeLoopbackIdentity } from '../src/receivers/certificate.ts'
import { ScriptedReceiver, type SeenRequest } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { Api } from '../src/support/http.ts'
import { ADMIN_TOKEN, runPosthorn } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'
import { KillableNodes, type NodesOn } from './killableNodes.ts'
import { makeTestDatabase } from './testStore.ts'

const WEBHOOKS = 8
/** Secrets that were replaced long ago, of each webhook: encrypting them again takes some seconds. */
const EARLIER_SECRETS = dose(300, 5_000)
/** The receiver tries all secrets of a webhook on each of its requests: on a busy machine, more would take it minutes. */
const PACE_MS = { publish: 100, rotate: 400 } as const
const [OLD, NEW] = [0, 1].map(() => randomBytes(32).toString('base64'))
const { common, make } = EVENTS.content

interface KeyList {
  readonly data: readonly {
    readonly id: string
    readonly current: boolean
    readonly signing_secrets: number
    readonly removable: boolean
  }[]
}

/** Webhooks under load: events are published and secrets replaced all the time, whatever nodes are there. */
class Load {
  readonly accepted: string[] = []
  readonly #workspace: WorkspaceClient
  readonly #receiver: ScriptedReceiver
  readonly #api: Api
  readonly #hooks: { readonly id: string; readonly path: string }[] = []
  #isOver = false
  #work: Promise<unknown> = Promise.resolve()
  rotated = 0

  constructor(workspace: WorkspaceClient, receiver: ScriptedReceiver, api: Api) {
    this.#workspace = workspace
    this.#receiver = receiver
    this.#api = api
  }

  async start(): Promise<void> {
    for (let at = 0; at < WEBHOOKS; at++) {
      const hook = `/hook-${at}`
      const { id, secret } = await this.#workspace.createWebhook(this.#receiver.urlOf(hook), [common])
      await this.#receiver.add({
        path: hook,
        scheme: 'standard',
        secrets: [secret],
        behaviour: { kind: 'prompt' },
      })
      this.#hooks.push({ id, path: hook })
    }
    this.#work = Promise.all([this.#publish(), this.#rotate()])
  }

  /** Ends the load. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** Requests of accepted events; resolves once each webhook has got each. */
  async arrived(): Promise<readonly SeenRequest[]> {
    const accepted = new Set(this.accepted)
    return eventually(
      async () => {
        const requests = await this.#receiver.requests()
        const seen = new Set(
          requests.flatMap(({ hook, eventId }) => (accepted.has(eventId) ? [`${hook} ${eventId}`] : [])),
        )
        return seen.size === accepted.size * WEBHOOKS ? requests : null
      },
      { withinMs: 120_000, everyMs: 2_000, what: 'delivery of all events to all webhooks' },
    )
  }

  async #publish(): Promise<void> {
    while (!this.#isOver) {
      // What was under way at a kill may be stored or not; it was not accepted.
      this.accepted.push(...(await this.#workspace.publish([make(common)]).catch(() => [])))
      await sleep(PACE_MS.publish)
    }
  }

  async #rotate(): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const { id, path: hook } = this.#hooks[turn % WEBHOOKS]!
      const url = `${this.#workspace.webhookPath(id)}/rotate-secret`
      const made = await this.#api
        .post<{ signing_secret: string }>(url, { token: this.#workspace.key })
        .catch(() => null)
      if (made === null) {
        // The store may hold a secret that was never shown; another one replaces it, and what it signs is signed by the former too.
        await sleep(PACE_MS.publish)
        continue
      }
      await this.#receiver.addSecret(hook, made.signing_secret)
      this.rotated++
      await sleep(PACE_MS.rotate)
    }
  }
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
  let load: Load

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
    load = new Load(await createWorkspace(() => nodes.next(), 'content', 'rotated'), receiver, api)
  })

  afterEach(async () => {
    await load.stop()
    await Promise.all([nodes.remove(), receiver.stop()])
    removeDirectory(directory)
  })

  /** Kills and starts each node in its turn, from now on with these keys. */
  async function restartAll(keys: string): Promise<void> {
    nodes.set({ POSTHORN_MASTER_KEY: keys })
    for (let node = 0; node < nodes.count; node++) await restart(node)
  }

  async function restart(node: number): Promise<void> {
    await nodes.kill(node)
    await nodes.startAgain(node)
  }

  async function keyList(): Promise<KeyList['data']> {
    return (await api.get<KeyList>('/admin/v1/master-keys', { token: ADMIN_TOKEN })).data
  }

  /** Secrets that are not under the new key; `null` where the store cannot be asked while it is served. */
  async function left(newId: string): Promise<number | null> {
    const url = nodes.settingsOf(0).POSTHORN_DATABASE_URL
    if (url === undefined) return null
    const sql = `SELECT count(*)::int AS left FROM posthorn.secrets WHERE substr(sealed, 1, 9) <> decode($1, 'hex')`
    const [row] = await query(url, sql, [`02${newId}`])
    return row!.left as number
  }

  /** A node that has the new key alone does not start while secrets need the old one, and says so. */
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

  test('is replaced under load, while nodes are killed: every request is signed, and the old key is let go', {
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
    // As long as one node encrypts under the old key, nothing is encrypted again.
    nodes.set({ POSTHORN_MASTER_KEY: `${NEW},${OLD}` })
    for (let node = 1; node < nodes.count; node++) await restart(node)
    if (nodes.count > 1) await expectRefusedWithout(first!.id)
    await restart(0)
    const newId = (await keyList()).find(({ current }) => current)!.id
    expect(newId).not.toBe(first!.id)
    // Killed while secrets are encrypted again, whichever node does it.
    for (let node = 0; node < nodes.count; node++) await restart(node)
    await eventually(
      async () => (await keyList()).find(({ id }) => id === first!.id)?.removable === true || null,
      { withinMs: 120_000, everyMs: 250, what: 'the end of the old key' },
    )
    const remaining = await left(newId)
    if (remaining !== null) expect(remaining).toBe(0)

    await restartAll(NEW!)
    const published = load.accepted.length
    await eventually(() => (load.accepted.length > published + 5 && load.rotated > WEBHOOKS) || null, {
      withinMs: 60_000,
      what: 'events under the new key alone, and rotations of all webhooks',
    })
    await load.stop()
    const requests = await load.arrived()
    expect(requests.filter(({ forgery }) => forgery !== null)).toEqual([])
    // Nodes that were killed are listed until their leases end.
    const last = await eventually(
      async () => {
        const keys = await keyList()
        return keys.length === 1 ? keys[0]! : null
      },
      { withinMs: 20_000, everyMs: 500, what: 'one key alone' },
    )
    expect([last.id, last.current]).toEqual([newId, true])
  })
})
