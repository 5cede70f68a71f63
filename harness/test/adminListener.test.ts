import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ADMIN_TOKEN, runPosthorn } from '../src/support/posthorn.ts'
import { occupyPort, useServing } from './serving.ts'

const serving = useServing()
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }

async function start() {
  const service = await serving.start({ POSTHORN_ADMIN_PORT: '0', POSTHORN_TRUSTED_PROXIES: '127.0.0.1' })
  const { admin_url: adminUrl } = await service.logged('posthorn is listening')
  return { service, url: service.url, adminUrl: String(adminUrl) }
}

/** Sends bytes unchanged. @returns all data until the service closed the connection */
async function raw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(text)
  let answer = ''
  socket.setEncoding('latin1').on('data', (part: string) => {
    answer += part
  })
  await once(socket, 'close')
  return answer
}

/** Bodies end without a line break, so that the next answer follows in the same line. */
const statuses = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

test('only the admin listener serves /admin/v1 and /metrics, and both serve health', async () => {
  const { url, adminUrl } = await start()
  for (const path of ['/admin/v1/workspaces', '/admin/v1/nodes', '/metrics']) {
    const [at, there] = await Promise.all([url, adminUrl].map((base) => fetch(base + path, { headers })))
    expect([path, at!.status, there!.status]).toEqual([path, 404, 200])
    expect(await at!.json()).toMatchObject({ code: 'route_not_found' })
  }
  for (const path of ['/healthz', '/readyz', '/openapi/content.json'])
    for (const base of [url, adminUrl]) expect((await fetch(base + path)).status).toBe(200)
})

test('no spelling, header or connection reaches admin routes through the public listener', async () => {
  const { url, adminUrl } = await start()
  const admin = new URL(adminUrl).host
  const targets = [
    '/admin/v1/workspaces',
    '/%61dmin/v1/workspaces',
    '/admin%2Fv1/workspaces',
    '//admin/v1/workspaces',
    '/x/../admin/v1/workspaces',
    '/admin/v1/workspaces?x=1',
    '/admin/v1/workspaces;x',
    '/ADMIN/v1/workspaces',
    `http://${admin}/admin/v1/workspaces`,
    `${adminUrl}/metrics`,
    '/metrics',
    '/metric%73',
    '/metrics/',
  ]
  const forged = [
    `Host: ${admin}`,
    `Authorization: Bearer ${ADMIN_TOKEN}`,
    `X-Forwarded-Host: ${admin}`,
    `X-Forwarded-Port: ${new URL(adminUrl).port}`,
    'X-Forwarded-For: 127.0.0.1',
    `Forwarded: for=127.0.0.1;host=${admin}`,
  ].join('\r\n')
  for (const target of targets)
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT']) {
      const answer = await raw(url, `${method} ${target} HTTP/1.1\r\n${forged}\r\nConnection: close\r\n\r\n`)
      expect([method, target, ...statuses(answer)]).toEqual([method, target, 404])
      expect(answer).not.toMatch(/^allow:/m)
    }
  // Pipelined after a valid request, and requested as an upgrade.
  const first = `GET /healthz HTTP/1.1\r\n${forged}\r\n\r\n`
  const last = `GET /admin/v1/workspaces HTTP/1.1\r\n${forged}\r\nConnection: close\r\n\r\n`
  expect(statuses(await raw(url, first + last))).toEqual([200, 404])
  expect(statuses(await raw(adminUrl, first + last))).toEqual([200, 200])
  const upgrade = `GET /metrics HTTP/1.1\r\n${forged}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`
  expect(statuses(await raw(url, upgrade))).toEqual([404])
})

test('commands and sign-in links of operators use the admin listener', async () => {
  const { service, url, adminUrl } = await start()
  const settings = { POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN, POSTHORN_PUBLIC_URL: url }
  const { port } = new URL(adminUrl)
  const made = await runPosthorn(
    ['workspace', 'create', '--profile', 'content', '--slug', 'acme', '--name', 'Acme', '--admin-port', port],
    settings,
  )
  expect([made.code, made.stderr]).toEqual([0, ''])
  const status = await runPosthorn(['status', '--admin-port', port], settings)
  expect([status.code, status.stderr]).toEqual([0, ''])
  const post = (path: string, body: object) =>
    fetch(adminUrl + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/admin/v1/operators', { email: 'op@example.com', name: 'Op' })
  await post('/admin/v1/workspaces/acme/members', { email: 'mira@example.com', name: 'Mira', role: 'owner' })
  for (const [email, base] of [
    ['op@example.com', adminUrl],
    ['mira@example.com', service.url],
  ] as const) {
    const link = await runPosthorn(['login-link', '--email', email, '--admin-url', adminUrl], settings)
    expect(link.stdout).toMatch(new RegExp(`^${base}/sign-in#`))
  }
  // A browser signs in there, and then uses the cookie.
  const session = await fetch(`${adminUrl}/console/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: ADMIN_TOKEN }),
  })
  expect(session.ok).toBe(true)
  const cookie = session.headers.getSetCookie()[0]!.split(';')[0]!
  for (const [base, status] of [
    [adminUrl, 200],
    [url, 404],
  ] as const)
    expect((await fetch(`${base}/admin/v1/overview`, { headers: { cookie } })).status).toBe(status)
})

test('a port in use fails the start with one line, and a stop closes both listeners', async () => {
  const busy = await occupyPort()
  const taken = await runPosthorn(['serve'], { ...serving.settings, POSTHORN_ADMIN_PORT: String(busy.port) })
  busy.close()
  expect(taken.code).toBe(1)
  expect(taken.stderr).toContain(
    `POSTHORN_ADMIN_PORT: another program listens on 127.0.0.1:${busy.port}; stop it, or use another port with --admin-port`,
  )
  const { service, adminUrl } = await start()
  await fetch(`${adminUrl}/healthz`)
  expect(await service.stop()).toEqual({ code: 0, signal: null })
  await expect(fetch(`${adminUrl}/healthz`)).rejects.toThrow()
})
