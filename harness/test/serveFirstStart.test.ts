import { existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { ADMIN_TOKEN, type PosthornProcess, runPosthorn } from '../src/support/posthorn.ts'
import { eventually } from '../src/support/waiting.ts'
import { expectOneLine, occupyPort, useServing } from './serving.ts'

const serving = useServing()

describe('generated keys', () => {
  test('are in files of mode 0600; the log names the file of the admin token, which works', async () => {
    const first = await serving.start({ POSTHORN_ADMIN_TOKEN: '' })
    const file = path.join(serving.dataDir, 'admin-token')
    const token = readFileSync(file, 'utf8').trim()
    for (const name of ['admin-token', 'master-key']) {
      expect(statSync(path.join(serving.dataDir, name)).mode & 0o777, name).toBe(0o600)
    }
    expect(statSync(serving.dataDir).mode & 0o777).toBe(0o700)
    const listed = await fetch(`${first.url}/admin/v1/workspaces`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(listed.status).toBe(200)
    await first.stop()
    expect(first.stderr).toContain(`Created an admin token in ${file}.\n`)
    expect(`${first.stderr}${first.stdout}`).not.toContain(token)

    const second = await serving.start({ POSTHORN_ADMIN_TOKEN: '' })
    await second.stop()
    expect(`${second.stderr}${second.stdout}`).not.toContain('admin token')
    expect(readFileSync(file, 'utf8').trim()).toBe(token)
  })

  test('a start that fails for its port keeps the token for the next', async () => {
    const busy = await occupyPort()
    const failed = await runPosthorn(['serve'], { ...serving.settings, POSTHORN_PORT: String(busy.port) })
    busy.close()
    expect(failed.code).toBe(1)
    const file = path.join(serving.dataDir, 'admin-token')
    expect(failed.stderr).toContain(file)
    const token = readFileSync(file, 'utf8')
    const service = await serving.start({ POSTHORN_ADMIN_TOKEN: '' })
    await service.stop()
    expect(readFileSync(file, 'utf8')).toBe(token)
  })

  test('a lost master key stops the start, since a new one would decrypt no secret', async () => {
    const service = await serving.start()
    await service.stop()
    rmSync(path.join(serving.dataDir, 'master-key'))
    const { code, stderr } = await runPosthorn(['serve'], serving.settings)
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_MASTER_KEY')
  })
})

describe('a lost store', () => {
  const workspaces = async ({ url }: PosthornProcess): Promise<unknown> => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ dialect: 'content', slug: 'acme', name: 'Acme' })
    await fetch(`${url}/admin/v1/workspaces`, { method: 'POST', headers, body })
    const listed = await fetch(`${url}/admin/v1/workspaces`, { headers })
    return ((await listed.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
  }

  test('is not replaced by an empty one, unless a new one is requested, which stays', async () => {
    const first = await serving.start()
    await workspaces(first)
    await first.stop()
    truncateSync(path.join(serving.dataDir, 'posthorn.db'))
    const { code, stdout, stderr } = await runPosthorn(['serve'], serving.settings)
    expect([code, stdout]).toEqual([1, ''])
    expectOneLine(stderr)
    expect(stderr).toMatch(/posthorn\.db is empty.*posthorn restore <file>.*--new-store/)

    const fresh = await serving.start({ POSTHORN_NEW_STORE: '1' })
    const made = await workspaces(fresh)
    expect(made).toHaveLength(1)
    await fresh.stop()
    const again = await serving.start({ POSTHORN_NEW_STORE: '1' })
    expect(await workspaces(again)).toEqual(made)
  })

  test('is not assumed after a kill during the first start', async () => {
    const killed = serving.spawn({ POSTHORN_ADMIN_TOKEN: '' })
    await eventually(() => existsSync(path.join(serving.dataDir, 'first-start')) || null, {
      withinMs: 10_000,
      what: 'beginning of the first start',
    })
    await killed.kill()
    await serving.start()
  })
})
