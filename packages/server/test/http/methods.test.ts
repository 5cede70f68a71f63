import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from './rawRequest.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function send(method: string, path: string) {
  const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`
  const { head, body } = await sendRaw(service, `${request}\r\n`)
  const allow = /^allow: (.*)$/m.exec(head)?.[1]
  return { status: Number(head.split(' ')[1]), allow, head, body }
}

/** CONNECT names a host and no path. */
const METHODS_WITH_PATH = METHODS.filter((method) => method !== 'CONNECT')
const ID = '0196f2a0-0000-7000-8000-000000000001'

describe('a path accepts its own methods, and unauthenticated callers learn only these', () => {
  it.each([
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/admin/v1/workspaces', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/workspaces/acme/webhooks', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/workspaces/acme/webhooks/sample', 'GET, HEAD, OPTIONS'],
    ['/v1/workspaces/acme/webhooks/wh_1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/v1/workspaces/acme/webhooks/wh_1/test', 'POST, OPTIONS'],
    ['/api/v1/webhook-deliveries/replay', 'POST, OPTIONS'],
    [`/api/v1/webhook-deliveries/${ID}`, 'GET, HEAD, OPTIONS'],
    [`/api/v1/webhook-deliveries/${ID}/replay`, 'POST, OPTIONS'],
    [`/api/v1/webhook-deliveries/replays/${ID}`, 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
    ['/docs/favicon.svg', 'GET, HEAD, OPTIONS'],
    ['/openapi/content.json', 'GET, HEAD, OPTIONS'],
    ['http://elsewhere/healthz?x=1', 'GET, HEAD, OPTIONS'],
    ['/api/v1/webhooks/', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/health%7A', 'GET, HEAD, OPTIONS'],
  ])('%s: %s', async (path, allow) => {
    const allowed = allow.split(', ')
    expect(await send('OPTIONS', path)).toMatchObject({ status: 204, allow, body: '' })
    for (const method of METHODS_WITH_PATH.filter((name) => !allowed.includes(name))) {
      const answer = await send(method, path)
      expect([method, answer.status, answer.allow]).toEqual([method, 405, allow])
      if (method !== 'HEAD') expect(JSON.parse(answer.body).code).toBe('method_not_allowed')
    }
    for (const method of allowed) expect((await send(method, path)).status).not.toBe(405)
  })

  it.each(['/nowhere', '/healthz/', '/v1/workspaces/acme', '/docs/json', '/docs/yaml', '/openapi'])(
    '%s is not a path, whatever the method',
    async (path) => {
      for (const method of METHODS_WITH_PATH) {
        const { status, allow } = await send(method, path)
        expect([method, status, allow]).toEqual([method, 404, undefined])
      }
    },
  )

  it('a missing file is answered the same way', async () => {
    expect((await send('GET', '/docs/assets/missing.css')).status).toBe(404)
    expect((await send('POST', '/docs/assets/missing.css')).status).toBe(405)
  })

  it('OPTIONS * addresses the whole service', async () => {
    const allow = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
    expect(await send('OPTIONS', '*')).toMatchObject({ status: 204, allow })
    expect((await send('GET', '*')).status).toBe(404)
  })

  it('before any body is read', async () => {
    const head = 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\nContent-Length: 9999999\r\n'
    const socket = connect(Number(new URL(service.base).port), '127.0.0.1')
    socket.write(`${head}\r\n`)
    const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])))
    socket.destroy()
    expect(answer!.toString()).toMatch(/^HTTP\/1\.1 405 /)
  })
})

describe('an unknown HTTP method is not implemented', () => {
  it.each([
    ['an unknown name', 'FROBNICATE /healthz HTTP/1.1'],
    ['small letters', 'get /healthz HTTP/1.1'],
    ['every sign that a name may have', "!#$%&'*+-.^_`|~0Az /healthz HTTP/1.1"],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1'],
  ])('%s', async (_, line) => {
    const { head, body } = await sendRaw(service, `${line}\r\nHost: x\r\n\r\n`)
    expect(head).toMatch(/^HTTP\/1\.1 501 /)
    expect(head).toContain('connection: close')
    expect(JSON.parse(body)).toMatchObject({ status: 501, code: 'method_not_implemented' })
  })

  it.each([
    ['no name at all', ' /healthz HTTP/1.1'],
    ['a sign that no name has', 'G(T /healthz HTTP/1.1'],
    ['another protocol', 'FROBNICATE /healthz SIP/2.0'],
    ['no line of a request', 'nonsense'],
  ])('%s is not HTTP', async (_, line) => {
    const { head, body } = await sendRaw(service, `${line}\r\nHost: x\r\n\r\n`)
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(body).code).toBe('malformed_request')
  })

  it('and a client that disconnects after the answer to CONNECT does no harm', async () => {
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(new URL(service.base).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.resetAndDestroy()
    }
    expect((await send('GET', '/healthz')).status).toBe(200)
  })
})
