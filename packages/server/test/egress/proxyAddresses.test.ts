import { EventEmitter, once } from 'node:events'
import type { LookupFunction } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseEgressRules } from '../../src/core/targets/index.ts'
import { createEgressAgent, type EgressAgent, Trust } from '../../src/engine/egress/index.ts'
import { post, resolverOf, serveHttp, serveHttps, serveTcp, systemError } from './loopback.ts'
import { authority, closing, identity, leadOn, NAME, onHead, opening, proxyTo } from './proxies.ts'
import { fakeTimers, timerCount } from './timers.ts'

afterEach(() => {
  vi.useRealTimers()
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
      trust: new Trust(authority.cert),
      connectTimeoutMs: 7_000,
      proxy: `http://127.0.0.1:${proxyPort}`,
      proxyResolve: 'local',
      maxConnectionsPerDestination: 10,
    })
    closing({ close: () => agent.destroy() })
    return agent
  }

  const askedFor = ({ heads }: { heads: readonly string[] }) => heads.map((head) => head.split(' ')[1])

  test.each([
    [PUBLIC, PUBLIC],
    [PUBLIC_6, `[${PUBLIC_6}]`],
  ])('the proxy gets an address, %s, and TLS and Host keep the name', async (address, authority) => {
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

  test('only addresses classified as public are requested', async () => {
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

  /** A proxy that connects only one address, and answers others with a status, or not at all. */
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
          leadOn(client, port)
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

  test('an address without an answer of the proxy is followed by the next after two seconds', async () => {
    const server = await opening(serveHttps(identity))
    const proxy = await choosy(server.port, OTHER_PUBLIC, 'silence')
    const agent = locally(proxy.port, { lookup: resolverOf([PUBLIC, OTHER_PUBLIC]) })
    fakeTimers()
    const asked = once(proxy.signals, 'asked')
    const answer = post(agent, `https://${NAME}/`)
    await asked
    vi.advanceTimersByTime(2_000)
    await expect(answer).resolves.toMatchObject({ status: 200 })
    expect(askedFor(proxy)).toEqual([`${PUBLIC}:443`, `${OTHER_PUBLIC}:443`])
    expect(timerCount()).toBe(0)
  })

  test('the error has the last answer of the proxy when no address can be reached', async () => {
    const proxy = await choosy(1, 'nothing', 503)
    const agent = locally(proxy.port, { lookup: resolverOf([PUBLIC, OTHER_PUBLIC]) })
    await expect(post(agent, `https://${NAME}/`)).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringContaining('answered 503 to CONNECT'),
    })
    expect(proxy.heads).toHaveLength(2)
  })

  test('a proxy that requires a password is not retried', async () => {
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

  test('the connect timeout includes resolving, and a late answer is ignored', async () => {
    const proxy = await proxyTo(1)
    let answer = () => {}
    const lookup: LookupFunction = (_, __, callback) => {
      answer = () => callback(null, [{ address: PUBLIC, family: 4 }])
    }
    fakeTimers()
    const failure = post(locally(proxy.port, { lookup }), `https://${NAME}/`)
    failure.catch(() => {})
    vi.advanceTimersByTime(7_000)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringMatching(/^DNS did not resolve/),
    })
    answer()
    await new Promise((resolve) => setImmediate(resolve))
    expect([proxy.connections.length, timerCount()]).toEqual([0, 0])
  })

  test('a proxy that never answers is abandoned at the timeout, whichever address was requested', async () => {
    const proxy = await choosy(1, 'nothing', 'silence')
    fakeTimers()
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
    expect(timerCount()).toBe(0)
  })
})
