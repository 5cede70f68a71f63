import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../src/support/freePort.ts'
import { ADMIN_TOKEN, runPosthorn, type Settings } from '../src/support/posthorn.ts'
import { TcpProxy } from '../src/support/tcpProxy.ts'
import { eventually } from '../src/support/waiting.ts'
import { useServing } from './serving.ts'
import { makeTestDatabase } from './testStore.ts'

const serving = useServing()
const cleanUps: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Settings that find the service and its admin token. */
const reach = (url: string): Settings => ({
  POSTHORN_PUBLIC_URL: url,
  POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN,
})

async function statusJson(url: string) {
  const { code, stdout } = await runPosthorn(['status', '--json'], reach(url))
  return {
    code,
    ...(JSON.parse(stdout) as { to_do: { code: string }[]; store: { kind: string; bytes: number } }),
  }
}

describe('posthorn status', () => {
  test('of a hanging node, or of another service: one line, exit code 2', async () => {
    let answers = false
    const server = createServer((_request, response) => {
      if (answers) response.end('{"ok":true}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanUps.push(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const hung = await runPosthorn(['status'], reach(`http://127.0.0.1:${port}`))
    expect(hung).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `posthorn: http://127.0.0.1:${port} accepts connections but does not answer in time; check the log of the service\n`,
    })
    answers = true
    const other = await runPosthorn(['status'], reach(`http://127.0.0.1:${port}`))
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toContain('the response is not from Posthorn')
  })

  test('of a healthy service: one screen, nothing to do, exit code 0', async () => {
    // A warning requires action: the keys' directory belongs only to this user.
    const { url } = await serving.start()
    const { code, stdout, stderr } = await runPosthorn(['status'], reach(url))
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^node +1 answers, \d+\.\d+\.\d+\S*: accepts events; 0 attempts in flight, 0 in memory\n/,
    )
    expect(stdout).toMatch(/\nstore +embedded, schema \d+, \S+ [kMG]B\n/)
    expect(stdout).toMatch(/\n\nNothing to do\.\n$/)
    expect(stdout.split('\n').length).toBeLessThan(24)
  })

  test('of a service with something to do: says what, and exit code 1', async () => {
    const { url } = await serving.start({ POSTHORN_EGRESS_ALLOW: '0.0.0.0/0' })
    const { code, stdout } = await runPosthorn(['status'], reach(url))
    expect(code).toBe(1)
    expect(stdout).toMatch(/\n\nWhat to do:\n- POSTHORN_EGRESS_ALLOW allows very large networks/)
  })

  test('without a service, without a token or with a wrong one: one line, exit code 2', async () => {
    const nowhere = await runPosthorn(['status'], reach(`http://127.0.0.1:${await freePort()}`))
    expect(nowhere).toMatchObject({ code: 2, stdout: '' })
    expect(nowhere.stderr).toMatch(/^posthorn: no service answers at [^\n]+\n$/)
    const noToken = await runPosthorn(['status'], serving.settings)
    expect(noToken).toMatchObject({ code: 2, stdout: '' })
    const { url } = await serving.start()
    const wrong = await runPosthorn(['status'], { ...reach(url), POSTHORN_ADMIN_TOKEN: `${ADMIN_TOKEN}x` })
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('401')
  })

  test('on PostgreSQL, also while the database is unavailable', async () => {
    const database = await makeTestDatabase()
    cleanUps.push(() => database.remove())
    const { hostname, port } = new URL(database.url)
    const path = await TcpProxy.start({ host: hostname, port: Number(port) })
    cleanUps.push(() => path.stop())
    const through = new URL(database.url)
    through.hostname = '127.0.0.1'
    through.port = String(path.port)
    const service = await serving.start({ POSTHORN_DATABASE_URL: through.href, POSTHORN_LEASE: '2s' })
    cleanUps.push(async () => void (await service.kill()))
    const well = await statusJson(service.url)
    expect(well).toMatchObject({ code: 0, to_do: [], store: { kind: 'postgresql' } })
    expect(well.store.bytes).toBeGreaterThan(1_000_000)
    path.silence('requests', 'answers')
    const away = await eventually(
      async () => {
        const status = await statusJson(service.url)
        return status.code === 1 ? status : null
      },
      { withinMs: 30_000, everyMs: 500, what: 'a status that says the database is away' },
    )
    expect(away).toMatchObject({ nodes: null, queue: null, store: { bytes: null } })
    expect(away.to_do[0]!.code).toBe('PosthornTakesNoEvents')
  })
})
