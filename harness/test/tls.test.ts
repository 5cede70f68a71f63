import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import path from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { type Identity, makeLoopbackIdentity } from '../src/receivers/certificate.ts'
import { ADMIN_TOKEN, runPosthorn, type Settings } from '../src/support/posthorn.ts'
import { useServing } from './serving.ts'

const serving = useServing()

function write(name: string, content: string): string {
  const file = path.join(serving.directory, name)
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

const settingsWith = ({ cert, key }: Identity): Settings => ({
  POSTHORN_TLS_CERT_FILE: write('cert.pem', cert),
  POSTHORN_TLS_KEY_FILE: write('key.pem', key),
})

async function startWith(settings: Settings) {
  const service = serving.spawn(settings)
  const line = await service.logged('posthorn is listening')
  return { service, url: String(line.url), adminUrl: String(line.admin_url) }
}

/** @returns the status over a connection that trusts only this certificate */
async function statusOf(url: string, ca: string, headers: Record<string, string> = {}): Promise<number> {
  const asked = request(url, { ca, headers, agent: false }).end()
  const [response] = await once(asked, 'response')
  response.resume()
  return response.statusCode
}

async function connected(url: string, options: object): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ...options })
  await once(socket, 'secureConnect')
  return socket
}

test('with a certificate the service accepts only HTTPS', async () => {
  const identity = await makeLoopbackIdentity()
  const { service, url } = await startWith(settingsWith(identity))
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(await statusOf(`${url}/readyz`, identity.cert)).toBe(200)
  const socket = await connected(url, { ca: identity.cert })
  expect(socket.getProtocol()).toBe('TLSv1.3')
  socket.destroy()
  const old = connected(url, {
    ca: identity.cert,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  })
  await expect(old).rejects.toThrow()
  // A client that sends plain HTTP, or no TLS, gets no answer and holds no connection.
  const plain = connectTcp(Number(new URL(url).port), '127.0.0.1')
  plain.on('error', () => {})
  plain.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  let answered = ''
  plain.on('data', (bytes: Buffer) => {
    answered += bytes.toString('latin1')
  })
  await once(plain, 'close')
  expect(answered).not.toContain('HTTP/1.1')
  expect(await statusOf(`${url}/healthz`, identity.cert)).toBe(200)
  // Links and cookies follow: the public URL is that of the listener.
  const link = await runPosthorn(['workspace', 'list', '--port', new URL(url).port], {
    ...settingsWith(identity),
    POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  expect([link.code, link.stderr]).toEqual([1, expect.stringContaining('is not trusted')])
  expect(service.stdout).not.toContain('people sign in without TLS')
})

test('SIGHUP replaces the certificate, and a bad one changes nothing', async () => {
  const [first, second, other] = await Promise.all([
    makeLoopbackIdentity(),
    makeLoopbackIdentity(),
    makeLoopbackIdentity(),
  ])
  const { service, url, adminUrl } = await startWith({ ...settingsWith(first), POSTHORN_ADMIN_PORT: '0' })
  const open = await connected(url, { ca: first.cert })
  settingsWith(second)
  service.signal('SIGHUP')
  expect(await service.logged('settings reloaded')).toMatchObject({ changed: ['POSTHORN_TLS_CERT_FILE'] })
  for (const address of [url, adminUrl]) expect(await statusOf(`${address}/readyz`, second.cert)).toBe(200)
  await expect(statusOf(`${url}/readyz`, first.cert)).rejects.toThrow()
  // Open connections continue.
  open.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const [bytes] = await once(open, 'data')
  expect(String(bytes)).toMatch(/^HTTP\/1\.1 200/)
  for (const [n, [cert, mistake]] of [
    [
      other.cert,
      `POSTHORN_TLS_KEY_FILE: the key in ${path.join(serving.directory, 'key.pem')} does not belong to`,
    ],
    ['-----BEGIN CERTIFICATE-----\nhalf', 'contains no PEM certificate'],
    ['', 'contains no PEM certificate'],
  ].entries()) {
    write('cert.pem', cert!)
    service.signal('SIGHUP')
    const { errors } = await service.logged('settings not reloaded', n)
    expect(errors).toEqual([expect.stringContaining(mistake!)])
    expect(await statusOf(`${url}/readyz`, second.cert)).toBe(200)
  }
})

test('a certificate and key that do not match are reported in one line each, and nothing starts', async () => {
  const [one, other] = await Promise.all([makeLoopbackIdentity(), makeLoopbackIdentity()])
  const settings = { ...serving.settings, ...settingsWith({ cert: one.cert, key: other.key }) }
  const mismatch = await runPosthorn(['config', 'check'], settings)
  expect([mismatch.code, mismatch.stderr]).toEqual([
    1,
    `posthorn: POSTHORN_TLS_KEY_FILE: the key in ${settings.POSTHORN_TLS_KEY_FILE} does not belong to the certificate in ${settings.POSTHORN_TLS_CERT_FILE}\n`,
  ])
  const alone = await runPosthorn(
    ['serve', '--tls-cert-file', settings.POSTHORN_TLS_CERT_FILE!],
    serving.settings,
  )
  expect([alone.code, alone.stderr]).toEqual([
    1,
    'posthorn: POSTHORN_TLS_KEY_FILE: set it too, since POSTHORN_TLS_CERT_FILE is set\n',
  ])
})

test('a client that never ends its TLS handshake does not delay a stop', async () => {
  const { service, url, adminUrl } = await startWith({
    ...settingsWith(await makeLoopbackIdentity()),
    POSTHORN_ADMIN_PORT: '0',
  })
  for (const address of [url, adminUrl]) {
    const silent = connectTcp(Number(new URL(address).port), '127.0.0.1')
    silent.on('error', () => {})
    await once(silent, 'connect')
  }
  const startedAt = Date.now()
  expect(await service.stop()).toEqual({ code: 0, signal: null })
  expect(Date.now() - startedAt).toBeLessThan(10_000)
  expect(service.stderr).not.toContain('The stop took too long')
  await service.logged('stopped')
})
