import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import {
  ADMIN_TOKEN,
  type PosthornProcess,
  runPosthorn,
  type Settings,
  startService,
} from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { Caller } from './move/caller.ts'
import { type Account, Hooks, openAccount } from './move/history.ts'
import { CONTENT_TYPE, contentEvent } from './sampleEvents.ts'

const PUBLISHERS = 4
const BATCH = 50
const PATIENCE_MS = 60_000

let directory: string
let dataDir: string
let service: PosthornProcess | null = null
const api = new Caller(() => service!.url)

beforeEach(() => {
  directory = makeDirectory()
  dataDir = path.join(directory, 'data')
})

afterEach(async () => {
  await stop()
  removeDirectory(directory)
})

async function serve(settings: Settings = {}, from = dataDir): Promise<void> {
  service = await startService({ dataDir: from, settings })
}

async function stop(): Promise<void> {
  await service?.kill()
  service = null
}

const run = (args: readonly string[], settings: Settings = {}) =>
  runPosthorn(args, { POSTHORN_DATA_DIR: dataDir, ...settings })

async function expectRefusal(
  args: readonly string[],
  message: RegExp,
  settings: Settings = {},
): Promise<void> {
  const { code, stdout, stderr } = await run(args, settings)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^posthorn: [^\n]+\n$/)
  expect(stderr).toMatch(message)
}

/** Publishes until it is stopped, with each publisher sending one batch after another. */
class Publishing {
  readonly asked = new Set<string>()
  readonly acknowledged = new Set<string>()
  #stopped = false
  readonly #going: Promise<unknown>

  constructor(account: Account) {
    this.#going = Promise.all(Array.from({ length: PUBLISHERS }, () => this.#go(account)))
  }

  reaches(count: number): Promise<unknown> {
    return eventually(() => (this.acknowledged.size >= count ? true : null), {
      withinMs: PATIENCE_MS,
      what: `${count} events`,
    })
  }

  stop(): Promise<unknown> {
    this.#stopped = true
    return this.#going
  }

  async #go({ ws, key }: Account): Promise<void> {
    while (!this.#stopped) {
      const events = Array.from({ length: BATCH }, () => ({ id: `evt_${randomUUID()}`, ...contentEvent() }))
      for (const { id } of events) this.asked.add(id)
      await api.post(`/v1/workspaces/${ws}/events/batch`, key, { events })
      for (const { id } of events) this.acknowledged.add(id)
    }
  }
}

async function feedOf({ ws, key }: Account): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let after = ''; ; ) {
    const page = await api.get<{ data: { id: string }[]; next_cursor: string; has_more: boolean }>(
      `/v1/workspaces/${ws}/events?limit=100${after}`,
      key,
    )
    for (const { id } of page.data) ids.add(id)
    if (!page.has_more) return ids
    after = `&after=${page.next_cursor}`
  }
}

test('a backup made while events arrive at full speed contains everything acknowledged before, and continues from there', async () => {
  const receiver = await ScriptedReceiver.start()
  await serve()
  const account = await openAccount(api, 'content')
  const hooks = new Hooks(api, receiver, account, 'content')
  const hook = await hooks.add('/hook', { kind: 'prompt' })
  const publishing = new Publishing(account)
  await publishing.reaches(1_000)
  const before = new Set(publishing.acknowledged)
  const { code, stderr } = await run(['backup', path.join(directory, 'copy.db'), '--with-master-key'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await publishing.reaches(publishing.acknowledged.size + 1_000)
  await publishing.stop()
  await stop()

  const elsewhere = path.join(directory, 'elsewhere')
  const restored = await run(['restore', path.join(directory, 'copy.db')], { POSTHORN_DATA_DIR: elsewhere })
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  await serve({}, elsewhere)
  const found = await feedOf(account)
  expect([...before].filter((id) => !found.has(id))).toEqual([])
  expect([...found].filter((id) => !publishing.asked.has(id))).toEqual([])
  expect(restored.stdout).toContain(`Restored ${found.size.toLocaleString('en-US')} events`)
  // Each event has its delivery, and deliveries pending then arrive.
  const log = `/v1/workspaces/${account.ws}/webhooks/${hook.id}/deliveries?limit=100`
  await eventually(
    async () => {
      const { data } = await api.get<{ data: object[] }>(`${log}&status=pending`, account.key)
      return data.length === 0 ? true : null
    },
    { withinMs: PATIENCE_MS, what: 'the end of what was pending' },
  )
  const requests = await receiver.requests()
  const arrived = new Set(requests.map(({ eventId }) => eventId))
  expect([...found].filter((id) => !arrived.has(id))).toEqual([])
  expect(requests.filter(({ forgery }) => forgery !== null)).toEqual([])
  // Without an id of its own it gets an unused one.
  const { id } = await api.post<{ id: string }>(
    `/v1/workspaces/${account.ws}/events`,
    account.key,
    contentEvent(),
  )
  expect(found.has(id)).toBe(false)
  expect((await feedOf(account)).has(id)).toBe(true)
  await receiver.stop()
})

describe('posthorn backup', () => {
  test('writes a file with a generated name into a directory, and says that it does not contain the master key', async () => {
    await serve()
    const backups = path.join(directory, 'backups')
    mkdirSync(backups)
    const { code, stdout } = await run(['backup', backups])
    expect(code).toBe(0)
    const [name, ...others] = readdirSync(backups)
    expect([name, others]).toEqual([expect.stringMatching(/^posthorn-\d{8}T\d{6}Z\.db$/), []])
    expect(statSync(path.join(backups, name!)).mode & 0o777).toBe(0o600)
    expect(stdout).toContain(`Backed up the store in ${dataDir} to ${path.join(backups, name!)} (`)
    expect(stdout).toContain(`The backup does not contain the master key`)
    expect(stdout).toContain(path.join(dataDir, 'master-key'))
  })

  test('overwrites nothing', async () => {
    await serve()
    const file = path.join(directory, 'copy.db')
    writeFileSync(file, 'mine')
    await expectRefusal(['backup', file], /copy\.db already exists, and a backup never replaces a file/)
    expect(readFileSync(file, 'utf8')).toBe('mine')
    writeFileSync(`${path.join(directory, 'other.db')}.master-key`, 'mine')
    await expectRefusal(
      ['backup', path.join(directory, 'other.db'), '--with-master-key'],
      /other\.db\.master-key already exists/,
    )
    expect(existsSync(path.join(directory, 'other.db'))).toBe(false)
  })

  test('reports in one line what is missing', async () => {
    await expectRefusal(['backup', directory], /there is no store in /)
    await expectRefusal(['backup', path.join(directory, 'none', 'copy.db')], /none is not a directory/)
    await expectRefusal(
      ['backup', directory],
      /unset it to back up .*use pg_dump or pg_basebackup, and keep the master key separate/,
      {
        POSTHORN_DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/posthorn',
      },
    )
    await expectRefusal(
      ['backup', directory, '--with-master-key'],
      /POSTHORN_MASTER_KEY: not set, and \S+ does not exist/,
    )
  })
})

describe('posthorn restore', () => {
  let file: string
  let account: Account

  beforeEach(async () => {
    await serve()
    account = await openAccount(api, 'content')
    await api.post(`/v1/workspaces/${account.ws}/webhooks`, account.key, {
      url: 'https://receiver.example.com/hook',
      events: [CONTENT_TYPE],
    })
    file = path.join(directory, 'copy.db')
    expect((await run(['backup', file])).code).toBe(0)
  })

  test('is rejected while the store is in use, and where one exists', async () => {
    await expectRefusal(
      ['restore', file, '--force'],
      new RegExp(`is in use by another posthorn process \\(pid ${service!.pid}\\); stop that process, or `),
    )
    await stop()
    await expectRefusal(
      ['restore', file],
      /there is already a store in \S+; to replace it with the backup, add --force/,
    )
  })

  test('with --force discards changes after the backup, and keeps the replaced store under another name', async () => {
    const keys = `/admin/v1/workspaces/${account.ws}/keys`
    await api.post(keys, ADMIN_TOKEN, { name: 'later', scopes: ['webhooks'] })
    await stop()
    const { code, stdout } = await run(['restore', file, '--force'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Restored 0 events from \S+ into \S+\.\nLater events and changes are missing\. /)
    const kept = readdirSync(dataDir).filter((name) => name.includes('.replaced-'))
    expect(kept).toHaveLength(1)
    expect(stdout).toContain(`The previous store is kept in ${path.join(dataDir, kept[0]!)}`)
    await serve()
    const { data } = await api.get<{ data: { name: string }[] }>(keys, ADMIN_TOKEN)
    expect(data.map(({ name }) => name)).toEqual(['revoked', 'kept'])
  })

  test('leaves a gap in all ids, which no list is affected by', async () => {
    await stop()
    expect((await run(['restore', file, '--force'])).code).toBe(0)
    const receiver = await ScriptedReceiver.start()
    await serve()
    const hooks = new Hooks(api, receiver, account, 'content')
    const { id } = await hooks.add('/after', { kind: 'status', status: 500 })
    await api.post(`/v1/workspaces/${account.ws}/events`, account.key, contentEvent())
    const failing = async () => {
      const { data } = await api.get<{ data: { webhook_id: string }[] }>(
        '/admin/v1/failing-webhooks',
        ADMIN_TOKEN,
      )
      return data.find(({ webhook_id }) => webhook_id === id) ?? null
    }
    await eventually(failing, { withinMs: PATIENCE_MS, what: 'the webhook among those that fail' })
    for (const list of ['workspace-stats', 'nodes', 'audit-log', 'workspaces'])
      expect(await api.get<object>(`/admin/v1/${list}`, ADMIN_TOKEN), list).toHaveProperty('data.0')
    for (const list of ['webhooks', 'deliveries', 'events'])
      expect(await api.get<object>(`/v1/workspaces/${account.ws}/${list}`, account.key), list).toHaveProperty(
        'data.0',
      )
    await receiver.stop()
  })

  test('with --force warns that the existing store was moved, and to where', async () => {
    await stop()
    const db = new Database(path.join(dataDir, 'posthorn.db'))
    db.prepare(`INSERT INTO moved (id, place, at) VALUES (1, 'db:5432/posthorn', 0)`).run()
    db.close()
    const { code, stdout, stderr } = await run(['restore', file, '--force'])
    expect(stderr).toMatch(
      /^WARNING: the store in \S+ was moved to db:5432\/posthorn: stop the nodes there [^\n]+\n$/,
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining('Restored 0 events')])
  })

  test('asks for the master key of the backup', async () => {
    await stop()
    const elsewhere = { POSTHORN_DATA_DIR: path.join(directory, 'elsewhere') }
    const wrong = Buffer.alloc(32, 7).toString('base64')
    await expectRefusal(['restore', file], /the key in use does not decrypt the signing secrets/, {
      ...elsewhere,
      POSTHORN_MASTER_KEY: wrong,
    })
    writeFileSync(`${file}.master-key`, `${wrong}\n`)
    await expectRefusal(['restore', file], /the key in \S+copy\.db\.master-key does not decrypt/, elsewhere)
    copyFileSync(path.join(dataDir, 'master-key'), `${file}.master-key`)
    expect(await run(['restore', file], elsewhere)).toMatchObject({ code: 0, stderr: '' })
    const key = path.join(elsewhere.POSTHORN_DATA_DIR, 'master-key')
    expect(readFileSync(key)).toEqual(readFileSync(path.join(dataDir, 'master-key')))
    expect(statSync(key).mode & 0o777).toBe(0o600)
  })

  test('the service does not start with another master key than that of its secrets', async () => {
    await stop()
    await expectRefusal(['serve'], /the key in use does not decrypt the signing secrets in \S+data;/, {
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      POSTHORN_PORT: '0',
    })
    await serve()
  })

  test('reports a missing master key, and the service does not start without it', async () => {
    await stop()
    const elsewhere = { POSTHORN_DATA_DIR: path.join(directory, 'elsewhere'), POSTHORN_PORT: '0' }
    const { code, stdout } = await run(['restore', file], elsewhere)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /The master key is missing: put the key of the backed-up store into .*\n.*has no admin token: `posthorn serve` creates a new one in/,
      ),
    ])
    await expectRefusal(
      ['serve'],
      /POSTHORN_MASTER_KEY: not set, and \S+master-key does not exist/,
      elsewhere,
    )
  })

  test('rejects a file that is not a backup', async () => {
    writeFileSync(file, 'anything')
    await expectRefusal(['restore', file, '--force'], /copy\.db is not a Posthorn backup\. Name a file/)
    await expectRefusal(['restore', path.join(directory, 'none.db')], /there is no file \S+none\.db/)
    await expectRefusal(
      ['restore', file],
      /unset it to restore the embedded store\. For PostgreSQL, use pg_restore/,
      {
        POSTHORN_DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/posthorn',
      },
    )
  })
})
