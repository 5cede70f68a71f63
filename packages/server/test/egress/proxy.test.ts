import { EventEmitter, once } from 'node:events'
import tls from 'node:tls'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { PUBLIC_ONLY, parseEgressRules } from '../../src/core/targets/index.ts'
import {
  createEgressAgent,
  createGuardedConnector,
  type EgressAgent,
  parseProxyUrl,
  Trust,
} from '../../src/engine/egress/index.ts'
import { makeCertificate } from './certificates.ts'
import {
  connectTo,
  deafResolver,
  type LoopbackServer,
  post,
  resolverOf,
  serveHttp,
  serveHttps,
  serveTcp,
} from './loopback.ts'
import { authority, closing, identity, NAME, onHead, opening, proxyTo } from './proxies.ts'
import { fakeTimers, timerCount } from './timers.ts'

afterEach(() => {
  vi.useRealTimers()
})

function answering(response: string): Promise<LoopbackServer> {
  return opening(serveTcp((client) => onHead(client, () => client.end(response))))
}

function agentThrough(proxy: string, targetPort: number, allow = ''): EgressAgent {
  const agent = createEgressAgent({
    rules: parseEgressRules({ allow, ports: String(targetPort) }),
    // The proxy resolves target names; resolving one here would throw in the resolver below.
    lookup: resolverOf(['127.0.0.1']),
    trust: new Trust(authority.cert),
    connectTimeoutMs: 5_000,
    proxy,
    maxConnectionsPerDestination: 10,
  })
  closing({ close: () => agent.destroy() })
  return agent
}

describe('with a forward proxy', () => {
  test('a delivery uses a tunnel, with TLS from end to end, and keeps it', async () => {
    const server = await opening(serveHttps(identity))
    const proxy = await proxyTo(server.port)
    const agent = agentThrough(`http://us%40er:pass@127.0.0.1:${proxy.port}`, server.port)
    for (let i = 0; i < 2; i++) {
      await expect(post(agent, `https://${NAME}:${server.port}/`)).resolves.toMatchObject({ status: 200 })
    }
    expect(proxy.heads).toHaveLength(1)
    expect(proxy.heads[0]).toMatch(new RegExp(`^CONNECT ${NAME}:${server.port} HTTP/1.1\r\n`))
    expect(proxy.heads[0]).toContain(`Basic ${Buffer.from('us@er:pass').toString('base64')}\r\n`)
    await agent.destroy()
    await proxy.allClosed()
    await server.allClosed()
  })

  test('the proxy is found by name, and the name of the target is never resolved here', async () => {
    const server = await opening(serveHttps(identity))
    const proxy = await proxyTo(server.port)
    const lookup = resolverOf(['127.0.0.1'])
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      lookup,
      trust: new Trust(authority.cert),
      timeoutMs: 5_000,
      proxy: parseProxyUrl(`http://proxy.internal:${proxy.port}`),
    })
    const socket = await connectTo(connector, `https://${NAME}/`)
    expect(lookup.calls).toEqual(['proxy.internal'])
    expect(proxy.heads[0]).toMatch(/^CONNECT hooks\.acme-receiver\.com:443 /)
    socket.destroy()
    await proxy.allClosed()
    await server.allClosed()
  })

  test('the certificate of the target is verified through the tunnel', async () => {
    const wrong = await makeCertificate({
      commonName: 'other',
      dnsNames: ['other.acme-receiver.com'],
      issuer: authority,
    })
    const server = await opening(serveHttps(wrong))
    const proxy = await proxyTo(server.port)
    const agent = agentThrough(`http://127.0.0.1:${proxy.port}`, server.port)
    const failure = post(agent, `https://${NAME}:${server.port}/`)
    await expect(failure).rejects.toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('another host name'),
    })
    await proxy.allClosed()
    await server.allClosed()
  })

  test('the rules on names, literals and ports hold for every request', async () => {
    const proxy = await proxyTo(1)
    const agent = agentThrough(`http://127.0.0.1:${proxy.port}`, 9443)
    const urls = [
      'https://localhost/',
      'https://127.0.0.1/',
      'https://[::1]/',
      `https://${NAME}:22/`,
      `http://${NAME}/`,
    ]
    for (const url of urls) await expect(post(agent, url)).rejects.toMatchObject({ code: 'refused_target' })
    expect(proxy.connections).toHaveLength(0)
  })

  test('plain http to an allowed host uses a tunnel as well', async () => {
    const server = await opening(serveHttp())
    const proxy = await proxyTo(server.port)
    const agent = agentThrough(`http://127.0.0.1:${proxy.port}`, 443, 'receiver.internal,::1')
    await expect(post(agent, 'http://receiver.internal/')).resolves.toMatchObject({ status: 200 })
    await expect(post(agent, 'http://[::1]:81/')).resolves.toMatchObject({ status: 200 })
    expect(proxy.heads.map((head) => head.split(' ')[1])).toEqual(['receiver.internal:80', '[::1]:81'])
    await agent.destroy()
    await proxy.allClosed()
  })

  test.each([
    [403, 'Forbidden', 'allow it in the proxy'],
    [407, 'Proxy Authentication Required', 'user name and password'],
    [502, 'Bad Gateway', 'reachable from the internet'],
    [302, 'Found', 'allow it in the proxy'],
  ])('an answer of %i is connect_failed and says what to do', async (status, phrase, remedy) => {
    const proxy = await answering(`HTTP/1.1 ${status} ${phrase}\r\nlocation: http://127.0.0.1/\r\n\r\nno`)
    const failure = post(agentThrough(`http://127.0.0.1:${proxy.port}`, 443), `https://${NAME}/`)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringMatching(new RegExp(`answered ${status} to CONNECT.*${remedy}`)),
    })
    await proxy.allClosed()
  })

  test.each(['', 'SSH-2.0-OpenSSH_9.9\r\n', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`])(
    'an answer that is not HTTP, or too long, is connect_failed: %.30j',
    async (response) => {
      const proxy = await answering(response)
      const failure = post(agentThrough(`http://127.0.0.1:${proxy.port}`, 443), `https://${NAME}/`)
      await expect(failure).rejects.toMatchObject({
        code: 'connect_failed',
        message: expect.stringMatching(/proxy/),
      })
      await proxy.allClosed()
    },
  )

  test.each(['http', 'https'])('data after the answer to CONNECT ends the connection: %s', async (scheme) => {
    const proxy = await answering('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    const agent = agentThrough(`http://127.0.0.1:${proxy.port}`, 443, NAME)
    await expect(post(agent, `${scheme}://${NAME}/`)).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringContaining('before the request was sent'),
    })
    await proxy.allClosed()
  })

  test('a proxy that is down is connect_failed, and not a fault of the receiver', async () => {
    const proxy = await serveTcp()
    await proxy.close()
    const failure = post(agentThrough(`http://127.0.0.1:${proxy.port}`, 443), `https://${NAME}/`)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringMatching(/proxy could not be reached.*ECONNREFUSED/),
    })
  })

  test('a tunnel in which TLS cannot start is closed', async () => {
    const server = await opening(serveTcp())
    const proxy = await proxyTo(server.port)
    const connect = vi.spyOn(tls, 'connect').mockImplementationOnce(() => {
      throw new Error('broken')
    })
    const failure = post(agentThrough(`http://127.0.0.1:${proxy.port}`, 443), `https://${NAME}/`)
    await expect(failure).rejects.toMatchObject({ code: 'tls_failed' })
    connect.mockRestore()
    await proxy.allClosed()
    await server.allClosed()
  })

  test('a proxy that never answers is abandoned at the timeout', async () => {
    const signals = new EventEmitter()
    const mute = await opening(serveTcp((socket) => onHead(socket, () => signals.emit('asked'))))
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      lookup: deafResolver,
      timeoutMs: 7_000,
      proxy: parseProxyUrl(`http://127.0.0.1:${mute.port}`),
    })
    fakeTimers()
    const failure = connectTo(connector, `https://${NAME}/`)
    failure.catch(() => {})
    await once(signals, 'asked')
    vi.advanceTimersByTime(7_000)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringContaining('forward proxy did not'),
    })
    await mute.allClosed()
    expect(timerCount()).toBe(0)
  })

  test('a target that never starts TLS is abandoned, including the tunnel', async () => {
    const signals = new EventEmitter()
    const mute = await opening(serveTcp((socket) => socket.once('data', () => signals.emit('greeted'))))
    const proxy = await proxyTo(mute.port)
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      timeoutMs: 7_000,
      proxy: parseProxyUrl(`http://127.0.0.1:${proxy.port}`),
    })
    fakeTimers()
    const failure = connectTo(connector, `https://${NAME}/`)
    failure.catch(() => {})
    await once(signals, 'greeted')
    vi.advanceTimersByTime(7_000)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringContaining('TLS handshake'),
    })
    await proxy.allClosed()
    await mute.allClosed()
    expect(timerCount()).toBe(0)
  })
})
