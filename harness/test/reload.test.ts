import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ADMIN_TOKEN } from '../src/support/posthorn.ts'
import { eventually } from '../src/support/waiting.ts'
import { useServing } from './serving.ts'

const serving = useServing()

function write(lines: readonly string[]): string {
  const file = path.join(serving.directory, 'posthorn.yaml')
  writeFileSync(file, lines.join('\n'), { mode: 0o600 })
  return file
}

async function startWith(lines: readonly string[]) {
  const service = await serving.start({ POSTHORN_CONFIG_FILE: write(lines) })
  const admin = (method: string, url: string, body?: object, key = ADMIN_TOKEN) =>
    fetch(service.url + url, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  await admin('POST', '/admin/v1/workspaces', { dialect: 'content', slug: 'acme', name: 'Acme' })
  const made = await admin('POST', '/admin/v1/workspaces/acme/keys', { name: 'all', scopes: ['webhooks'] })
  const { key } = (await made.json()) as { readonly key: string }
  const newConsumer = async (name: string) =>
    (await admin('POST', '/v1/workspaces/acme/consumers', { name }, key)).status
  return { service, newConsumer }
}

test('SIGHUP applies limits at once, and names the settings that need a restart', async () => {
  const { service, newConsumer } = await startWith(['max-consumers-per-workspace: 1'])
  expect([await newConsumer('a'), await newConsumer('b')]).toEqual([201, 409])
  write(['max-consumers-per-workspace: 2', 'lease: 20s', 'acme-timeout: 3s'])
  service.signal('SIGHUP')
  expect(await service.logged('settings reloaded')).toMatchObject({
    changed: ['POSTHORN_MAX_CONSUMERS_PER_WORKSPACE'],
  })
  expect(await service.logged('needs a restart')).toMatchObject({
    level: 40,
    msg: 'needs a restart: POSTHORN_LEASE, POSTHORN_ACME_TIMEOUT',
  })
  expect([await newConsumer('b'), await newConsumer('c')]).toEqual([201, 409])
})

test('with one mistake, no setting is changed', async () => {
  const { service, newConsumer } = await startWith(['max-consumers-per-workspace: 1'])
  write(['max-consumers-per-workspace: 2', 'log-level: error', 'lease: 1s', 'prot: 1'])
  service.signal('SIGHUP')
  const { level, errors } = await service.logged('settings not reloaded')
  expect([level, errors]).toEqual([
    50,
    [expect.stringContaining('prot is not a setting'), expect.stringContaining('POSTHORN_LEASE')],
  ])
  expect([await newConsumer('a'), await newConsumer('b')]).toEqual([201, 409])
  // It continues as before: the next reload is logged, which `error` would hide.
  write(['max-consumers-per-workspace: 2'])
  service.signal('SIGHUP')
  await service.logged('settings reloaded')
  expect(await newConsumer('b')).toBe(201)
})

test('the log level can be raised and lowered', async () => {
  const { service, newConsumer } = await startWith(['max-consumers-per-workspace: 1'])
  expect(await newConsumer('a')).toBe(201)
  write(['max-consumers-per-workspace: 2', 'log-level: error'])
  service.signal('SIGHUP')
  await created(newConsumer, 'b')
  expect(service.stdout).not.toContain('settings reloaded')
  write(['max-consumers-per-workspace: 2', 'log-level: info'])
  service.signal('SIGHUP')
  expect(await service.logged('settings reloaded')).toMatchObject({ changed: ['POSTHORN_LOG_LEVEL'] })
})

test('after many concurrent signals, the last content of the file applies', async () => {
  const { service, newConsumer } = await startWith(['max-consumers-per-workspace: 1'])
  for (let n = 0; n < 12; n++) {
    write([`max-consumers-per-workspace: ${n % 2 === 0 ? 1 : 3}`])
    service.signal('SIGHUP')
  }
  for (const name of ['a', 'b', 'c']) await created(newConsumer, name)
  expect(await newConsumer('d')).toBe(409)
  expect(service.stdout).not.toContain('settings not reloaded')
})

const created = (newConsumer: (name: string) => Promise<number>, name: string) =>
  eventually(async () => ((await newConsumer(name)) === 201 ? true : null), {
    withinMs: 10_000,
    what: 'a reload of the limit',
  })
