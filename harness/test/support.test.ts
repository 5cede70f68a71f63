import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { Api } from '../src/support/http.ts'
import { ADMIN_TOKEN, runPosthorn, type Settings } from '../src/support/posthorn.ts'
import { eventually } from '../src/support/waiting.ts'
import { useServing } from './serving.ts'
import { unpackBundle } from './supportBundle.ts'
import { makeTestDatabase } from './testStore.ts'

const serving = useServing()
const cleanUps: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const SERVED = ['readyz.txt', 'metrics.txt', 'status.json', 'master-keys.json', 'outages.json']
const ALWAYS = ['README.txt', 'versions.json', 'machine.json', 'settings.txt', 'store.json', 'log.txt']

/** Names and identities of people. */
const PRIVATE = ['acme-gmbh', 'Acme GmbH', 'mira@acme.example', '/hooks/of-acme', 'token=of-acme']

async function supported(log: string, settings: Settings) {
  const logFile = path.join(serving.directory, 'log')
  writeFileSync(logFile, log)
  const out = path.join(serving.directory, `${Math.random()}.tar.gz`)
  const of = { ...serving.settings, POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN, ...settings }
  const { code, stdout, stderr } = await runPosthorn(['support', '--out', out, '--log-file', logFile], of)
  expect([code, stderr]).toEqual([0, ''])
  expect(statSync(out).mode & 0o777).toBe(0o600)
  return { stdout, files: unpackBundle(out) }
}

/** A workspace with a failing receiver, so that the status has content. */
async function makeFailures(url: string): Promise<void> {
  const receiver = await ScriptedReceiver.start()
  cleanUps.push(() => receiver.stop())
  const api = new Api(() => url)
  const token = ADMIN_TOKEN
  const { id } = await api.post<{ id: string }>('/admin/v1/workspaces', {
    token,
    body: { dialect: 'standard', slug: 'acme-gmbh', name: 'Acme GmbH' },
  })
  await api.post(`/admin/v1/workspaces/${id}/members`, {
    token,
    body: { email: 'mira@acme.example', name: 'Mira', role: 'owner' },
  })
  const { key } = await api.post<{ key: string }>(`/admin/v1/workspaces/${id}/keys`, {
    token,
    body: { name: 'all', scopes: ['webhooks', 'events:write'] },
  })
  await api.post(`/v1/workspaces/${id}/webhooks`, {
    token: key,
    body: { url: `${receiver.urlOf('/hooks/of-acme')}?token=of-acme`, events: ['invoice.paid'] },
  })
  await api.post(`/v1/workspaces/${id}/events`, {
    token: key,
    body: { type: 'invoice.paid', data: { invoice: 'in_1' } },
  })
  await eventually(
    async () => {
      const status = await api.get<{ failing_workspaces: unknown[] }>('/admin/v1/status', { token })
      return status.failing_workspaces.length > 0 || null
    },
    { withinMs: 30_000, everyMs: 500, what: 'a status with a workspace that fails' },
  )
}

test.each([
  ['the embedded store', async () => ({ settings: {}, engine: 'SQLite' })],
  [
    'PostgreSQL',
    async () => {
      const database = await makeTestDatabase()
      cleanUps.push(() => database.remove())
      return { settings: database.settings, engine: 'PostgreSQL' }
    },
  ],
])(
  'posthorn support writes a bundle while a service on %s runs, and when it is down',
  async (_store, make) => {
    const { settings, engine } = await make()
    const service = await serving.start({ ...settings, POSTHORN_LOG_LEVEL: 'debug' })
    cleanUps.push(async () => void (await service.kill()))
    await makeFailures(service.url)
    const of = { ...settings, POSTHORN_PUBLIC_URL: service.url }

    const up = await supported(service.stdout, of)
    expect([...up.files.keys()].sort()).toEqual([...ALWAYS, ...SERVED].sort())
    expect(up.stdout).not.toContain('MISSING')
    expect(up.files.get('README.txt')).toContain('What is missing, and why:\n- nothing\n')
    expect(up.files.get('readyz.txt')).toBe('200\n{"status":"ready"}\n')
    expect(up.files.get('metrics.txt')).toContain('posthorn_ready 1')
    // On a slow machine, the retry of the first attempt has failed too.
    expect(JSON.parse(up.files.get('status.json')!)).toMatchObject({
      failing_workspaces: [
        { workspace: { id: expect.any(String), dialect: 'standard' }, failed: expect.any(Number) },
      ],
    })
    expect(JSON.parse(up.files.get('master-keys.json')!).data).toHaveLength(1)
    expect(up.files.get('log.txt')).toContain('attempt ended')
    const text = [...up.files.values()].join('\n')
    expect(PRIVATE.filter((word) => text.includes(word))).toEqual([])

    await service.stop()
    const down = await supported(service.stdout, of)
    expect([...down.files.keys()].sort()).toEqual([...ALWAYS].sort())
    for (const name of SERVED)
      expect(down.files.get('README.txt')).toMatch(new RegExp(`\n- ${name} .*: no service answers at http`))
    for (const { files } of [up, down]) {
      const store = JSON.parse(files.get('store.json')!)
      expect(store.engine).toContain(engine)
      expect(store.schema_version).toBe(store.schema_version_of_this_program)
    }
  },
)

test('stdin and stdout replace files, as in a container', async () => {
  const out = path.join(serving.directory, 'support.tar.gz')
  const via = ['/bin/sh', '-c', `echo from a container | "$@" > '${out}'`, 'sh']
  const args = ['support', '--log-file', '-', '--out', '-']
  const { code, stdout, stderr } = await runPosthorn(args, serving.settings, { via })
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(/\nWrote \S+ KB of a \.tar\.gz file to stdout\.\n/)
  expect(unpackBundle(out).get('log.txt')).toBe('from a container\n')
})
