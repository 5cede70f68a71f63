import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { consoleDocument, pageRoutes } from '../../src/http/pages/index.ts'
import { AdminListener } from '../../src/http/shared/adminListener.ts'
import { handleErrors } from '../../src/http/shared/errors.ts'
import { answerUnknownRoutes } from '../../src/http/shared/notFound.ts'

let directory: string
let app: FastifyInstance
const SOME_PROVIDER = {
  issuer: 'https://login.example.com',
  clientId: 'posthorn',
  clientSecret: null,
  scopes: 'openid',
  rolesClaim: 'groups',
  grants: [],
  acceptsUnverified: false,
}
let publicUrl = 'http://127.0.0.1:8080'

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pages-'))
  mkdirSync(join(directory, 'assets'))
  writeFileSync(
    join(directory, 'index.html'),
    '<meta name="csp-nonce" content="%CSP_NONCE%"><meta name="sign-in-provider" content="%SIGN_IN_PROVIDER%"><div id="root"></div>',
  )
  writeFileSync(join(directory, 'favicon.svg'), '<svg/>')
  writeFileSync(join(directory, 'assets/index-abc.js'), 'console')
  writeFileSync(join(directory, 'assets/index-abc.js.gz'), gzipSync('console'))
  app = fastify()
  const document = consoleDocument(directory, {
    publicUrl: () => publicUrl,
    signInProvider: { ...SOME_PROVIDER, name: 'Anna & "Bob"' },
  })
  handleErrors(app, { info() {}, warn() {}, error() {} }, systemClock)
  answerUnknownRoutes(app, document, new AdminListener(false))
  pageRoutes(app, directory, document, {
    portalOrigins: ['https://app.host.example', 'https://other.example'],
  })
  await app.ready()
})

afterAll(async () => {
  await app.close()
  rmSync(directory, { recursive: true })
})

const policyOf = async (url: string) => {
  const { headers, body, statusCode } = await app.inject(url)
  expect(statusCode).toBe(200)
  return { headers, body, policy: String(headers['content-security-policy']) }
}

test('every page allows only scripts and styles of this server, with a nonce that no other answer has', async () => {
  const nonces = new Set<string>()
  for (const url of [
    '/',
    '/sign-in',
    '/portal',
    '/w/acme/webhooks/wh_1',
    '/operator',
    '/operator/audit-log',
    '/embed/w/x',
  ]) {
    const { policy, body } = await policyOf(url)
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    expect(body).toContain(`content="${nonce}"`)
    nonces.add(String(nonce))
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toContain('unsafe')
  }
  expect(nonces.size).toBe(7)
})

test('over TLS, browsers are instructed to use only TLS', async () => {
  const strict = async (url: string) => (await policyOf(url)).headers['strict-transport-security']
  expect(await strict('/')).toBeUndefined()
  publicUrl = 'https://hooks.example.com'
  for (const url of ['/', '/sign-in', '/embed/w/x']) expect(await strict(url)).toBe('max-age=31536000')
})

test('no page can be embedded, except those made for it by the named origins', async () => {
  for (const url of ['/', '/sign-in', '/w/acme', '/operator']) {
    const { policy, headers } = await policyOf(url)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers['x-frame-options']).toBe('DENY')
  }
  for (const url of ['/embed', '/embed/w/acme/webhooks']) {
    const { policy, headers } = await policyOf(url)
    expect(policy).toContain('frame-ancestors https://app.host.example https://other.example')
    expect(headers['x-frame-options']).toBeUndefined()
  }
})

test('files are named by their content, cached for good, and compressed if the client accepts that', async () => {
  const plain = await app.inject('/assets/index-abc.js')
  expect(plain.body).toBe('console')
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const packed = await app.inject({ url: '/assets/index-abc.js', headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(packed.rawPayload).toEqual(gzipSync('console'))
})

test('nothing outside the built files is served', async () => {
  for (const url of [
    '/assets/',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/assets/..%2findex.html',
    '/assets/none.js',
  ]) {
    expect((await app.inject(url)).statusCode, url).toBeGreaterThanOrEqual(400)
  }
})

test('an unknown address returns a page to browsers, and an error document to programs', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const opened = await app.inject({ url: '/webhooks', headers: browser })
  expect(opened.statusCode).toBe(404)
  expect(opened.headers['content-type']).toMatch('text/html')
  expect(opened.body).toContain('<div id="root">')
  for (const request of [
    { url: '/webhooks', headers: { accept: '*/*' } },
    { url: '/webhooks' },
    { url: '/webhooks', method: 'POST' as const, headers: browser },
  ]) {
    const { statusCode, body } = await app.inject(request)
    expect(statusCode).toBe(404)
    expect(body).not.toContain('<div')
  }
  expect((await app.inject({ url: '/sign-in', method: 'POST', headers: browser })).statusCode).toBe(405)
})
