import { EventEmitter, once } from 'node:events'
import net, { type LookupFunction, type Socket } from 'node:net'
import tls from 'node:tls'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { PUBLIC_ONLY, parseEgressRules } from '../../src/core/targets/index.ts'
import {
  createEgressAgent,
  createGuardedConnector,
  type EgressAgent,
  parseProxyUrl,
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
  systemError,
} from './loopback.ts'

const NAME = 'hooks.acme-receiver.com'
const authority = await makeCertificate({ commonName: 'Test root', isAuthority: true })
const identity = await makeCertificate({ commonName: NAME, dnsNames: [NAME], issuer: authority })

const opened: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const each of opened.splice(0).reverse()) await each.close()
})

async function opening(server: Promise<LoopbackServer>): Promise<LoopbackServer> {
  opened.push(await server)
  return server
}

/** A CONNECT proxy that sends every tunnel to one loopback port, whatever name was asked for. */
async function proxyTo(port: number): Promise<LoopbackServer & { heads: string[] }> {
  const heads: string[] = []
  const server = await opening(
    serveTcp((client) =>
      onHead(client, (head) => {
        heads.push(head)
        const upstream = net.connect(port, '127.0.0.1')
        upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
        client.on('close', () => upstream.destroy())
        upstream.once('connect', () => {
          client.write('HTTP/1.1 200 Connection established\r\n\r\n')
          client.pipe(upstream).pipe(client)
        })
      }),
    ),
  )
  return { ...server, heads }
}

function answering(response: string): Promise<LoopbackServer> {
  return opening(serveTcp((client) => onHead(client, () => client.end(response))))
}

function onHead(client: Socket, callback: (head: string) => void): void {
  let head = ''
  const read = (chunk: Buffer): void => {
    head += chunk.toString('latin1')
    if (!head.endsWith('\r\n\r\n')) return
    client.off('data', read)
    callback(head)
  }
  client.on('data', read)
}

function agentThrough(proxy: string, targetPort: number, allow = ''): EgressAgent {
  const agent = createEgressAgent({
    rules: parseEgressRules({ allow, ports: String(targetPort) }),
    // The proxy resolves the names of targets; asking for one here would throw in the resolver below.
    lookup: resolverOf(['127.0.0.1']),
    ca: authority.cert,
    connectTimeoutMs: 5_000,
    proxy,
    maxConnectionsPerDestination: 10,
  })
  opened.push({ close: () => agent.destroy() })
  return agent
}

describe('with a forward proxy', () => {
  test('a delivery goes through a tunnel, with TLS from end to end, and keeps it', async () => {
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
      ca: authority.cert,
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

  test('plain http to an allowed host goes through a tunnel as well', async () => {
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
    [403, 'Forbidden', 'let it through'],
    [407, 'Proxy Authentication Required', 'user name and password'],
    [502, 'Bad Gateway', 'reachable from the internet'],
    [302, 'Found', 'let it through'],
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
    'an answer that is no HTTP, or too long, is connect_failed: %.30j',
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

  test.each(['http', 'https'])(
    'data behind the answer to CONNECT ends the connection: %s',
    async (scheme) => {
      const proxy = await answering('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      const agent = agentThrough(`http://127.0.0.1:${proxy.port}`, 443, NAME)
      await expect(post(agent, `${scheme}://${NAME}/`)).rejects.toMatchObject({
        code: 'connect_failed',
        message: expect.stringContaining('before a request was sent'),
      })
      await proxy.allClosed()
    },
  )

  test('a proxy that is down is connect_failed, and not called a fault of the receiver', async () => {
    const proxy = await serveTcp()
    await proxy.close()
    const failure = post(agentThrough(`http://127.0.0.1:${proxy.port}`, 443), `https://${NAME}/`)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringMatching(/proxy could not be reached.*ECONNREFUSED/),
    })
  })

  test('a tunnel on which TLS cannot even be begun is closed', async () => {
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

  test('a proxy that never answers is left when the time is over', async () => {
    const signals = new EventEmitter()
    const mute = await opening(serveTcp((socket) => onHead(socket, () => signals.emit('asked'))))
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      lookup: deafResolver,
      timeoutMs: 7_000,
      proxy: parseProxyUrl(`http://127.0.0.1:${mute.port}`),
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const failure = connectTo(connector, `https://${NAME}/`)
    failure.catch(() => {})
    await once(signals, 'asked')
    vi.advanceTimersByTime(7_000)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringContaining('forward proxy did not'),
    })
    await mute.allClosed()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a target that never speaks TLS is left, tunnel and all', async () => {
    const signals = new EventEmitter()
    const mute = await opening(serveTcp((socket) => socket.once('data', () => signals.emit('greeted'))))
    const proxy = await proxyTo(mute.port)
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      timeoutMs: 7_000,
      proxy: parseProxyUrl(`http://127.0.0.1:${proxy.port}`),
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
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
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('with a forward proxy and names that are resolved here', () => {
  const PUBLIC = '93.184.215.14'
  const OTHER_PUBLIC = '93.184.215.15'
  const PUBLIC_6 = '2606:4700::1'

  function locally(
    proxyPort: number,
    { lookup, port = 443, allow = '' }: { lookup: LookupFunction; port?: number; allow?: string },
  ): EgressAgent {
    const agent = createEgressAgent({
      rules: parseEgressRules({ allow, ports: String(port) }),
      lookup,
      ca: authority.cert,
      connectTimeoutMs: 7_000,
      proxy: `http://127.0.0.1:${proxyPort}`,
      proxyResolve: 'local',
      maxConnectionsPerDestination: 10,
    })
    opened.push({ close: () => agent.destroy() })
    return agent
  }

  const askedFor = ({ heads }: { heads: readonly string[] }) => heads.map((head) => head.split(' ')[1])

  test.each([
    [PUBLIC, PUBLIC],
    [PUBLIC_6, `[${PUBLIC_6}]`],
  ])('the proxy is asked for an address, %s, and TLS and Host keep the name', async (address, authority) => {
    const names: unknown[] = []
    const server = await opening(
      serveHttps(
        {
          ...identity,
          SNICallback: (name, callback) => {
            names.push(name)
            callback(null)
          },
        },
        (request, response) => {
          names.push(request.headers.host)
          response.end()
        },
      ),
    )
    const proxy = await proxyTo(server.port)
    const lookup = resolverOf([address])
    const agent = locally(proxy.port, { lookup, port: server.port })
    for (let i = 0; i < 2; i++)
      await expect(post(agent, `https://${NAME}:${server.port}/`)).resolves.toMatchObject({ status: 200 })
    expect(askedFor(proxy)).toEqual([`${authority}:${server.port}`])
    expect(proxy.heads[0]).toMatch(/^Host: /im)
    expect(proxy.heads[0]).not.toContain(NAME)
    expect(lookup.calls).toEqual([NAME])
    const host = `${NAME}:${server.port}`
    expect(names).toEqual([NAME, host, host])
  })

  test('only addresses that were classified public are asked for', async () => {
    const server = await opening(serveHttps(identity))
    const proxy = await proxyTo(server.port)
    const inside = ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:10.0.0.1']
    const agent = locally(proxy.port, { lookup: resolverOf([...inside, PUBLIC], inside) })
    await expect(post(agent, `https://${NAME}/`)).resolves.toMatchObject({ status: 200 })
    await expect(post(agent, `https://${NAME}/`, { webhookId: 2 })).rejects.toMatchObject({
      code: 'refused_target',
      message: expect.stringContaining('resolves to no public address'),
    })
    expect(askedFor(proxy)).toEqual([`${PUBLIC}:443`])
  })

  test('a name without an address never reaches the proxy', async () => {
    const proxy = await proxyTo(1)
    const agent = locally(proxy.port, { lookup: resolverOf(systemError('ENOTFOUND')) })
    await expect(post(agent, `https://${NAME}/`)).rejects.toMatchObject({ code: 'dns_failed' })
    expect(proxy.connections).toHaveLength(0)
  })

  test('plain http to an allowed host goes to its address, and an allowed literal as it is', async () => {
    const server = await opening(serveHttp())
    const proxy = await proxyTo(server.port)
    const lookup = resolverOf(['10.0.0.7'])
    const agent = locally(proxy.port, { lookup, allow: 'receiver.internal,::1' })
    await expect(post(agent, 'http://receiver.internal/')).resolves.toMatchObject({
      body: Buffer.from('hello from receiver.internal'),
    })
    await expect(post(agent, 'http://[::1]:81/')).resolves.toMatchObject({ status: 200 })
    expect(askedFor(proxy)).toEqual(['10.0.0.7:80', '[::1]:81'])
    expect(lookup.calls).toEqual(['receiver.internal'])
  })

  /** A proxy that leads only one address on, and answers others with a status, or not at all. */
  async function choosy(port: number, reachable: string, otherwise: number | 'silence') {
    const heads: string[] = []
    const signals = new EventEmitter()
    const server = await opening(
      serveTcp((client) =>
        onHead(client, (head) => {
          heads.push(head)
          signals.emit('asked')
          if (!head.startsWith(`CONNECT ${reachable}:`)) {
            if (otherwise !== 'silence') client.end(`HTTP/1.1 ${otherwise} No\r\n\r\n`)
            return
          }
          const upstream = net.connect(port, '127.0.0.1')
          upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
          client.on('close', () => upstream.destroy())
          client.write('HTTP/1.1 200 Connection established\r\n\r\n')
          client.pipe(upstream).pipe(client)
        }),
      ),
    )
    return { ...server, heads, signals }
  }

  test('an address that the proxy cannot reach is followed by the next', async () => {
    const server = await opening(serveHttps(identity))
    const proxy = await choosy(server.port, `[${PUBLIC_6}]`, 502)
    const agent = locally(proxy.port, { lookup: resolverOf([PUBLIC, PUBLIC_6]) })
    await expect(post(agent, `https://${NAME}/`)).resolves.toMatchObject({ status: 200 })
    expect(askedFor(proxy)).toEqual([`${PUBLIC}:443`, `[${PUBLIC_6}]:443`])
  })

  test('an address about which the proxy says nothing is followed by the next after two seconds', async () => {
    const server = await opening(serveHttps(identity))
    const proxy = await choosy(server.port, OTHER_PUBLIC, 'silence')
    const agent = locally(proxy.port, { lookup: resolverOf([PUBLIC, OTHER_PUBLIC]) })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = once(proxy.signals, 'asked')
    const answer = post(agent, `https://${NAME}/`)
    await asked
    vi.advanceTimersByTime(2_000)
    await expect(answer).resolves.toMatchObject({ status: 200 })
    expect(askedFor(proxy)).toEqual([`${PUBLIC}:443`, `${OTHER_PUBLIC}:443`])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('the last answer of the proxy is told when none can be reached', async () => {
    const proxy = await choosy(1, 'nothing', 503)
    const agent = locally(proxy.port, { lookup: resolverOf([PUBLIC, OTHER_PUBLIC]) })
    await expect(post(agent, `https://${NAME}/`)).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringContaining('answered 503 to CONNECT'),
    })
    expect(proxy.heads).toHaveLength(2)
  })

  test('a proxy that wants a password is not asked again', async () => {
    const proxy = await choosy(1, 'nothing', 407)
    const agent = locally(proxy.port, { lookup: resolverOf([PUBLIC, OTHER_PUBLIC]) })
    await expect(post(agent, `https://${NAME}/`)).rejects.toThrow('user name and password')
    expect(proxy.heads).toHaveLength(1)
  })

  test('no more than four addresses of a family are tried', async () => {
    const proxy = await choosy(1, 'nothing', 502)
    const many = Array.from({ length: 200 }, (_, i) => `93.184.215.${i}`)
    const agent = locally(proxy.port, { lookup: resolverOf([...many, PUBLIC_6]) })
    await expect(post(agent, `https://${NAME}/`)).rejects.toMatchObject({ code: 'connect_failed' })
    expect(askedFor(proxy)).toEqual([...many.slice(0, 4), `[${PUBLIC_6}]`].map((host) => `${host}:443`))
  })

  test('the time for a connect ends the resolving too, and nothing follows a late answer', async () => {
    const proxy = await proxyTo(1)
    let answer = () => {}
    const lookup: LookupFunction = (_, __, callback) => {
      answer = () => callback(null, [{ address: PUBLIC, family: 4 }])
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const failure = post(locally(proxy.port, { lookup }), `https://${NAME}/`)
    failure.catch(() => {})
    vi.advanceTimersByTime(7_000)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringMatching(/^DNS did not resolve/),
    })
    answer()
    await new Promise((resolve) => setImmediate(resolve))
    expect([proxy.connections.length, vi.getTimerCount()]).toEqual([0, 0])
  })

  test('a proxy that never answers is left when the time is over, whichever address it was asked for', async () => {
    const proxy = await choosy(1, 'nothing', 'silence')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const failure = post(
      locally(proxy.port, { lookup: resolverOf([PUBLIC, OTHER_PUBLIC]) }),
      `https://${NAME}/`,
    )
    failure.catch(() => {})
    for (const ms of [2_000, 5_000]) {
      await once(proxy.signals, 'asked')
      vi.advanceTimersByTime(ms)
    }
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringContaining('forward proxy did not'),
    })
    await proxy.allClosed()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the address of the proxy', () => {
  test('is read', () => {
    expect(parseProxyUrl('http://proxy.internal')).toEqual({
      hostname: 'proxy.internal',
      port: 80,
      authorization: null,
    })
    expect(parseProxyUrl('http://a:b%3Ac@[::1]:3128/')).toEqual({
      hostname: '::1',
      port: 3128,
      authorization: `Basic ${Buffer.from('a:b:c').toString('base64')}`,
    })
  })

  test.each([
    '',
    'proxy.internal:3128',
    'https://a:s3cret@proxy.internal',
    'socks5://a:s3cret@proxy.internal',
    'http://a:s3cret@proxy.internal/x',
    'http://a:s3cret@proxy.internal?x',
    'http://a:s3cret%ff@proxy.internal',
    'http://a:s3cret@proxy.internal:99999',
  ])('is refused without repeating a password: %s', (text) => {
    const read = () => parseProxyUrl(text)
    expect(read).toThrow('forward proxy')
    expect(read).not.toThrow('s3cret')
  })
})
