import { chmodSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ADMIN_TOKEN } from '../src/support/posthorn.ts'
import { eventually } from '../src/support/waiting.ts'
import { useServing } from './serving.ts'

const serving = useServing()

test.each([
  ['http://hooks.example.com', 1],
  ['https://hooks.example.com', 0],
  ['http://localhost:8080', 0],
] as const)('with the public URL %s the log warns about cookies without TLS %i times', async (url, times) => {
  const service = await serving.start({ POSTHORN_PUBLIC_URL: url })
  await service.stop()
  const warnings = service.stdout.split('\n').filter((line) => line.includes('people sign in without TLS'))
  expect(warnings.map((line) => JSON.parse(line))).toMatchObject(
    Array(times).fill({ level: 40, public_url: url }),
  )
  expect(warnings).toHaveLength(times)
})

test('permissive settings are reported at every start: in the log, in metrics and to operators', async () => {
  mkdirSync(serving.dataDir, { mode: 0o700 })
  chmodSync(serving.dataDir, 0o777)
  const codes = ['egress_allow_wide', 'egress_allow_metadata', 'data_directory_open']
  for (let n = 0; n < 2; n++) {
    const service = await serving.start({ POSTHORN_EGRESS_ALLOW: '0.0.0.0/0' })
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const answer = await fetch(`${service.url}/admin/v1/warnings`, { headers })
    const { data } = (await answer.json()) as { readonly data: readonly { readonly code: string }[] }
    await service.stop()
    expect(data.map(({ code }) => code)).toEqual(codes)
    for (const code of codes) {
      expect(metrics).toContain(`posthorn_warnings{code="${code}"} 1`)
      expect(service.stdout.match(new RegExp(`"level":40[^\\n]*"code":"${code}"`, 'g'))).toHaveLength(1)
    }
  }
})

describe('a running service', () => {
  test('the log says which version listens, as which node', async () => {
    const service = await serving.start()
    const line = service.stdout.split('\n').find((text) => text.includes('posthorn is listening'))
    expect(JSON.parse(line!)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      node: expect.any(Number),
      store: serving.dataDir,
    })
  })

  test('/healthz, /readyz and /metrics answer without credentials', async () => {
    const { url } = await serving.start()
    for (const [route, type] of [
      ['/healthz', 'application/json'],
      ['/readyz', 'application/json'],
      ['/metrics', 'text/plain'],
    ]) {
      const response = await fetch(`${url}${route}`)
      expect(response.status, route).toBe(200)
      expect(response.headers.get('content-type'), route).toContain(type)
      if (route !== '/metrics') continue
      const metrics = await response.text()
      expect(metrics).toContain('posthorn_attempts_total')
      expect(metrics).toMatch(/^posthorn_attempts_in_flight 0$/m)
      expect(metrics).toMatch(/^posthorn_deliveries_in_memory 0$/m)
      expect(metrics).toMatch(/^posthorn_lease_held 1$/m)
      expect(metrics).toMatch(/^posthorn_leases_taken_over_total 0$/m)
      expect(metrics).toMatch(/^posthorn_deliveries_pending 0$/m)
      expect(metrics).toMatch(/^posthorn_oldest_due_delivery_age_seconds 0$/m)
    }
  })
})

describe('a stop', () => {
  test('an idle service stops at once on SIGTERM and leaves nothing that blocks the next one', async () => {
    const first = await serving.start()
    expect(await first.stop()).toEqual({ code: 0, signal: null })
    const second = await serving.start()
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  })

  test('a client that never finishes its request does not delay the stop', async () => {
    const service = await serving.start()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.write('GET /heal', () => resolve()))
    const stopStarted = performance.now()
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    socket.destroy()
    expect(performance.now() - stopStarted).toBeLessThan(10_000)
    expect(service.stderr).not.toContain('took too long')
  })

  test('a second signal ends it at once, and the log says so', async () => {
    const service = await serving.start()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.write('GET /heal', () => resolve()))
    void service.stop()
    await eventually(
      () => service.stdout.includes('stopping: waiting for attempts in flight to finish') || null,
      {
        withinMs: 10_000,
        what: 'beginning of the stop',
      },
    )
    expect(await service.stop()).toEqual({ code: null, signal: 'SIGTERM' })
    socket.destroy()
    expect(service.stdout).toContain(
      'second stop signal: exiting immediately; attempts in flight will be repeated',
    )
  })

  test('with a shutdown delay it first reports unready to proxies, and still accepts requests', async () => {
    const service = await serving.start({ POSTHORN_SHUTDOWN_DELAY: '1m' })
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(service.url + path, {
        ...init,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      })
    const before = await ask('/healthz')
    expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive'])
    service.signal('SIGTERM')
    expect(await service.logged('stopping soon')).toMatchObject({ delay_ms: 60_000 })
    const ready = await ask('/readyz')
    expect([ready.status, await ready.json()]).toMatchObject([503, { code: 'stopping' }])
    const made = await ask('/admin/v1/workspaces', {
      method: 'POST',
      body: JSON.stringify({ dialect: 'content', slug: 'late', name: 'Late' }),
    })
    expect([made.status, made.headers.get('connection')]).toEqual([201, 'close'])
    expect(service.exit).toBeNull()
    service.signal('SIGTERM')
    expect(await service.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  test('it stops once the shutdown delay is over', async () => {
    const service = await serving.start({ POSTHORN_SHUTDOWN_DELAY: '50ms' })
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    await service.logged('stopping soon')
    await service.logged('stopping: waiting for attempts in flight to finish')
  })

  test('SIGTERM during the start ends it too', async () => {
    const service = serving.spawn()
    const exit = await service.stop()
    expect([exit.code, exit.signal]).not.toContain('SIGKILL')
  })
})
