import { once } from 'node:events'
import tls, { type TLSSocket } from 'node:tls'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { parseEgressRules } from '../../src/core/targets/index.ts'
import { createGuardedConnector, createTrust, EgressError, Trust } from '../../src/engine/egress/index.ts'
import { type CertificateOptions, makeCertificate } from './certificates.ts'
import { connectTo, type LoopbackServer, resolverOf, serveHttp, serveHttps, serveTcp } from './loopback.ts'

const NAME = 'hooks.acme-receiver.com'
const authority = await makeCertificate({ commonName: 'Test root', isAuthority: true })
const other = await makeCertificate({ commonName: 'Other root', isAuthority: true })

const opened: LoopbackServer[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  for (const server of opened.splice(0)) await server.close()
})

async function opening(server: Promise<LoopbackServer>): Promise<LoopbackServer> {
  opened.push(await server)
  return server
}

async function serveAs(options: Partial<CertificateOptions>, settings: object = {}): Promise<LoopbackServer> {
  const wanted = { commonName: NAME, dnsNames: [NAME], issuer: authority, ...options }
  const { cert, key } = await makeCertificate(wanted)
  return opening(serveHttps({ cert, key, ...settings }))
}

function connectorTo(port: number, ca: string | undefined = authority.cert) {
  const rules = parseEgressRules({ allow: '127.0.0.1', ports: String(port) })
  return createGuardedConnector({
    rules,
    trust: new Trust(ca),
    lookup: resolverOf(['127.0.0.1']),
    timeoutMs: 5_000,
  })
}

async function failureOf(port: number, name = NAME, ca?: string): Promise<EgressError> {
  const failure: unknown = await connectTo(connectorTo(port, ca), `https://${name}:${port}/`).catch(
    (error) => error,
  )
  expect(failure).toBeInstanceOf(EgressError)
  return failure as EgressError
}

describe('a certificate is verified', () => {
  test('one of the extra CA is accepted, for the name in the URL', async () => {
    const server = await serveAs({})
    const socket = (await connectTo(connectorTo(server.port), `https://${NAME}:${server.port}/`)) as TLSSocket
    expect(socket).toMatchObject({ authorized: true, servername: NAME, alpnProtocol: 'http/1.1' })
    socket.destroy()
    await server.allClosed()
  })

  test('the trailing root dot does not matter', async () => {
    const server = await serveAs({})
    const socket = (await connectTo(
      connectorTo(server.port),
      `https://${NAME}.:${server.port}/`,
    )) as TLSSocket
    expect(socket).toMatchObject({ authorized: true, servername: NAME })
    socket.destroy()
  })

  test('a literal in an allowed network is verified against the addresses in the certificate', async () => {
    const right = await serveAs({ dnsNames: [], ipv4: ['127.0.0.1'] })
    const socket = await connectTo(connectorTo(right.port), `https://127.0.0.1:${right.port}/`)
    socket.destroy()
    const wrong = await serveAs({})
    expect(await failureOf(wrong.port, '127.0.0.1')).toMatchObject({ code: 'tls_failed' })
  })

  test.each<[string, Partial<CertificateOptions>, RegExp]>([
    ['expired', { notAfter: new Date(Date.now() - DAY_MS / 2) }, /expired. Renew it .*\(CERT_HAS_EXPIRED\)/],
    [
      'not valid yet',
      { notBefore: new Date(Date.now() + DAY_MS / 2) },
      /not valid yet.*\(CERT_NOT_YET_VALID\)/,
    ],
    [
      'for another host',
      { dnsNames: ['acme-receiver.com'] },
      /another host name.*\(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    ],
    ['from an unknown CA', { issuer: other }, /full chain.*\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/],
  ])('one that is %s is rejected', async (_, options, message) => {
    const server = await serveAs(options)
    expect(await failureOf(server.port)).toMatchObject({
      code: 'tls_failed',
      message: expect.stringMatching(message),
    })
    await server.allClosed()
  })

  test('a self-signed one is rejected', async () => {
    const server = await opening(serveHttps(await makeCertificate({ commonName: NAME, dnsNames: [NAME] })))
    expect(await failureOf(server.port)).toMatchObject({
      code: 'tls_failed',
      message: expect.stringMatching(/self-signed. Install .*\(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
      cause: expect.objectContaining({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    })
  })

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing', async () => {
    const server = await serveAs({ issuer: other })
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await failureOf(server.port)).toMatchObject({ code: 'tls_failed' })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })

  test('the extra CA is trusted in addition to the public ones, not instead of them', () => {
    const spy = vi.spyOn(tls, 'createSecureContext')
    connectorTo(443)
    const { ca } = spy.mock.calls[0]?.[0] ?? {}
    spy.mockRestore()
    expect(ca).toContain(authority.cert.trim())
    expect(ca).toEqual(expect.arrayContaining([...tls.rootCertificates]))
  })

  test('one of several extra CAs is enough', async () => {
    const server = await serveAs({})
    const socket = await connectTo(
      connectorTo(server.port, `# roots\n${other.cert}${authority.cert}`),
      `https://${NAME}:${server.port}/`,
    )
    socket.destroy()
  })

  test.each(['', 'none', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'an unreadable extra CA is a configuration error: %j',
    (ca) => expect(() => connectorTo(443, ca)).toThrow(/extra CA/),
  )
})

describe('a failed handshake explains the reason', () => {
  test('the port uses plain HTTP', async () => {
    const server = await opening(serveHttp())
    expect(await failureOf(server.port)).toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('does not speak TLS'),
    })
  })

  test('the server hangs up', async () => {
    const server = await opening(serveTcp((socket) => socket.end()))
    expect(await failureOf(server.port)).toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('closed the connection during the TLS handshake'),
    })
  })

  test('the server resets', async () => {
    const server = await opening(serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy())))
    expect(await failureOf(server.port)).toMatchObject({ code: 'tls_failed' })
  })

  test('the server is too old', async () => {
    const server = await serveAs(
      {},
      { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
    )
    expect(await failureOf(server.port)).toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('Enable TLS 1.2 or 1.3'),
    })
  })

  test('the server supports only HTTP/2', async () => {
    const server = await serveAs({}, { ALPNProtocols: ['h2'] })
    expect(await failureOf(server.port)).toMatchObject({ code: 'tls_failed' })
  })
})

describe('a TLS session is kept', () => {
  /**
   * Connects, waits for the TLS 1.3 messages after the handshake, and closes. @returns whether it was resumed
   */
  async function resumes(connector: ReturnType<typeof connectorTo>, port: number): Promise<boolean> {
    const socket = (await connectTo(connector, `https://${NAME}:${port}/`)) as TLSSocket
    const reused = socket.isSessionReused()
    socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await once(socket.resume(), 'close')
    return reused
  }

  const after = (ms: number) => vi.spyOn(Date, 'now').mockReturnValue(Date.now() + ms)

  describe.each(['TLSv1.2', 'TLSv1.3'])('with %s', (maxVersion) => {
    test('for the same host, and resumed by the next connect', async () => {
      const server = await serveAs({}, { maxVersion })
      const connector = connectorTo(server.port)
      expect(await resumes(connector, server.port)).toBe(false)
      expect(await resumes(connector, server.port)).toBe(true)
      expect(await resumes(connector, server.port)).toBe(true)
      await server.allClosed()
    })

    test('for an hour after the certificate was verified, however often it is resumed in that time', async () => {
      const server = await serveAs({}, { maxVersion })
      const connector = connectorTo(server.port)
      const found: boolean[] = []
      for (let quarters = 0; quarters < 6; quarters++) {
        found.push(await resumes(connector, server.port))
        after(HOUR_MS / 4)
      }
      expect(found).toEqual([false, true, true, true, false, true])
    })

    test('no longer than the certificate is valid', async () => {
      const server = await serveAs({ notAfter: new Date(Date.now() + HOUR_MS / 2) }, { maxVersion })
      const connector = connectorTo(server.port)
      const found: boolean[] = []
      for (const ms of [HOUR_MS / 4, HOUR_MS / 4, 0]) {
        found.push(await resumes(connector, server.port))
        after(ms)
      }
      expect(found).toEqual([false, true, false])
    })
  })

  test('only for one port', async () => {
    const servers = [await serveAs({}), await serveAs({})] as const
    const rules = parseEgressRules({ allow: `127.0.0.1,${NAME}` })
    const lookup = resolverOf(['127.0.0.1'])
    const connector = createGuardedConnector({
      rules,
      trust: new Trust(authority.cert),
      lookup,
      timeoutMs: 5_000,
    })
    const [one, other] = servers.map(({ port }) => port) as [number, number]
    expect(await resumes(connector, one)).toBe(false)
    const offered = vi.spyOn(tls, 'connect')
    await resumes(connector, other)
    await resumes(connector, one)
    expect(offered.mock.calls.map(([options]) => 'session' in (options as unknown as object))).toEqual([
      false,
      true,
    ])
  })

  test('not once other certificates are trusted', async () => {
    const server = await serveAs({})
    const trust = new Trust(authority.cert)
    const rules = parseEgressRules({ allow: '127.0.0.1', ports: String(server.port) })
    const connector = createGuardedConnector({
      rules,
      trust,
      lookup: resolverOf(['127.0.0.1']),
      timeoutMs: 5_000,
    })
    expect(await resumes(connector, server.port)).toBe(false)
    expect(await resumes(connector, server.port)).toBe(true)
    trust.replace(createTrust(other.cert))
    await expect(resumes(connector, server.port)).rejects.toThrow(EgressError)
    trust.replace(createTrust(authority.cert))
    expect(await resumes(connector, server.port)).toBe(false)
  })

  test('only for one host name', async () => {
    const elsewhere = 'other.acme-receiver.com'
    const server = await serveAs({ dnsNames: [NAME, elsewhere] })
    const connector = connectorTo(server.port)
    expect(await resumes(connector, server.port)).toBe(false)
    const socket = (await connectTo(connector, `https://${elsewhere}:${server.port}/`)) as TLSSocket
    expect(socket.isSessionReused()).toBe(false)
    socket.destroy()
  })
})
