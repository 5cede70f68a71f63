import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { PUBLIC_ONLY, parseEgressRules } from '../../src/core/targets/index.ts'
import { createEgressAgent, type EgressAgent, IdleConnections, Trust } from '../../src/engine/egress/index.ts'
import { makeCertificate } from './certificates.ts'
import { type LoopbackServer, post, resolverOf, serveHttp, serveHttps, systemError } from './loopback.ts'

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

function agentFor(port: number, lookup = resolverOf(['127.0.0.1'])): EgressAgent {
  const agent = createEgressAgent({
    rules: parseEgressRules({ allow: '127.0.0.1', ports: String(port) }),
    lookup,
    trust: new Trust(authority.cert),
    connectTimeoutMs: 5_000,
    maxConnectionsPerDestination: 10,
  })
  opened.push({ close: () => agent.destroy() })
  return agent
}

describe('the agent', () => {
  test('delivers over verified TLS and keeps the connection', async () => {
    const server = await opening(serveHttps(identity))
    const lookup = resolverOf(['127.0.0.1'], ['10.0.0.1'])
    const agent = agentFor(server.port, lookup)
    for (let i = 0; i < 3; i++) {
      const response = await post(agent, `https://${NAME}:${server.port}/hook`)
      expect(response).toMatchObject({ status: 200, body: Buffer.from(`hello from ${NAME}:${server.port}`) })
    }
    expect(server.connections).toHaveLength(1)
    expect(lookup.calls).toEqual([NAME])
    await agent.destroy()
    await server.allClosed()
  })

  test('does not take data between two requests over TLS for an answer', async () => {
    const server = await opening(
      serveHttps(identity, (request, response) => {
        request.resume()
        // After the answer, in its own record.
        response.end('ok', () => request.socket.write('HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n'))
      }),
    )
    const agent = agentFor(server.port)
    for (let request = 1; request <= 3; request++) {
      await expect(post(agent, `https://${NAME}:${server.port}/`)).resolves.toMatchObject({ status: 200 })
      await server.allClosed()
    }
    expect(server.connections).toHaveLength(3)
  })

  test('repeats a request whose reused TLS connection is closed instead of an answer', async () => {
    let requests = 0
    const server = await opening(
      serveHttps(identity, (request, response) => {
        requests += 1
        request.resume()
        if (requests === 2) request.socket.destroy()
        else response.end('ok')
      }),
    )
    const agent = agentFor(server.port)
    for (let request = 1; request <= 2; request++)
      await expect(post(agent, `https://${NAME}:${server.port}/`)).resolves.toMatchObject({ status: 200 })
    expect([requests, server.connections.length]).toEqual([3, 2])
  })

  test('returns a redirect instead of following it', async () => {
    const server = await opening(
      serveHttps(identity, (request, response) => {
        request.resume()
        response.writeHead(307, { location: 'https://127.0.0.1/' }).end()
      }),
    )
    const response = await post(agentFor(server.port), `https://${NAME}:${server.port}/hook`)
    expect(response).toMatchObject({ status: 307 })
    expect(server.connections).toHaveLength(1)
  })

  test('returns a compressed body unchanged', async () => {
    const packed = gzipSync(Buffer.alloc(100_000))
    const server = await opening(
      serveHttps(identity, (request, response) => {
        request.resume()
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
      }),
    )
    const response = await post(agentFor(server.port), `https://${NAME}:${server.port}/hook`)
    expect(response.body.equals(packed)).toBe(true)
  })

  test('limits the head of a response', async () => {
    const server = await opening(
      serveHttps(identity, (request, response) => {
        request.resume()
        response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end()
      }),
    )
    const failure = post(agentFor(server.port), `https://${NAME}:${server.port}/hook`)
    await expect(failure).rejects.toMatchObject({
      code: 'protocol_error',
      message: expect.stringContaining('longer than 16 KB'),
    })
  })

  test('fails a rejected target, with its code', async () => {
    const server = await opening(serveHttp())
    const agent = createEgressAgent({
      rules: PUBLIC_ONLY,
      lookup: resolverOf(['127.0.0.1']),
      connectTimeoutMs: 5_000,
      maxConnectionsPerDestination: 10,
    })
    opened.push({ close: () => agent.destroy() })
    for (const url of [
      `https://${NAME}/`,
      'https://127.0.0.1/',
      'https://[::1]/',
      `http://127.0.0.1:${server.port}/`,
    ]) {
      await expect(post(agent, url)).rejects.toMatchObject({ name: 'EgressError', code: 'refused_target' })
    }
    expect(server.connections).toHaveLength(0)
  })

  test('fails every request that waited for a failed connect, and works again afterwards', async () => {
    const server = await opening(serveHttps(identity))
    const lookup = resolverOf(['10.0.0.1'], ['10.0.0.1'], ['10.0.0.1'], ['127.0.0.1'])
    const agent = agentFor(server.port, lookup)
    const url = `https://${NAME}:${server.port}/`
    const failures = await Promise.allSettled([post(agent, url), post(agent, url), post(agent, url)])
    expect(failures).toMatchObject(Array(3).fill({ status: 'rejected', reason: { code: 'refused_target' } }))
    await expect(post(agent, url)).resolves.toMatchObject({ status: 200 })
  })

  test('fails a certificate for another host once, with its code', async () => {
    const wrong = await makeCertificate({
      commonName: 'other',
      dnsNames: ['other.acme-receiver.com'],
      issuer: authority,
    })
    const server = await opening(serveHttps(wrong))
    const url = `https://${NAME}:${server.port}/`
    await expect(post(agentFor(server.port), url)).rejects.toMatchObject({ code: 'tls_failed' })
    await server.allClosed()
    expect(server.connections).toHaveLength(1)
  })

  test('leaves no socket behind, whatever happened to its requests', async () => {
    const server = await opening(serveHttps(identity))
    const agent = agentFor(server.port, resolverOf(['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']))
    const urls = [NAME, NAME, 'other.acme-receiver.com', 'localhost'].map(
      (host) => `https://${host}:${server.port}/`,
    )
    const outcomes = await Promise.allSettled(urls.map((url) => post(agent, url)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
    await agent.destroy()
    await server.close()
    opened.length = 0
    const isSocket = (resource: string) => resource.startsWith('TCP') || resource.startsWith('TLS')
    await vi.waitUntil(() => !process.getActiveResourcesInfo().some(isSocket))
  })

  test('limits idle connections over all webhooks, and closes the least recently used ones', async () => {
    const servers = [await opening(serveHttp()), await opening(serveHttp()), await opening(serveHttp())]
    const agent = createEgressAgent({
      rules: parseEgressRules({ allow: '127.0.0.1' }),
      connectTimeoutMs: 5_000,
      maxConnectionsPerDestination: 10,
      idleConnections: new IdleConnections({ node: 2 }),
    })
    opened.push({ close: () => agent.destroy() })
    for (const { port } of servers) await post(agent, `http://127.0.0.1:${port}/`)
    await servers[0]!.allClosed()
    for (const { port } of servers.toReversed()) await post(agent, `http://127.0.0.1:${port}/`)
    expect(servers.map(({ connections }) => connections.length)).toEqual([2, 1, 1])
  })

  test('shares no connection between two webhooks, nor between two URLs of one', async () => {
    const server = await opening(serveHttp())
    const agent = agentFor(server.port)
    const url = (path: string) => `http://127.0.0.1:${server.port}/${path}`
    for (const [path, webhookId] of [
      ['a', 1],
      ['a', 2],
      ['b', 2],
      ['b?c', 2],
      ['a', 1],
      ['a', 2],
      ['b', 2],
      ['b?c', 2],
    ] as const)
      await post(agent, url(path), { webhookId })
    expect(server.connections).toHaveLength(4)
  })

  test('closes idle connections when the process has no file descriptor left for a new one', async () => {
    // No sweep runs in between.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const server = await opening(serveHttp())
    let lacking = false
    const agent = createEgressAgent({
      rules: parseEgressRules({ allow: '127.0.0.1,hooks.example.com' }),
      lookup: (name, options, callback) => {
        if (lacking) callback(systemError('EMFILE') as NodeJS.ErrnoException, [])
        else resolverOf(['127.0.0.1'])(name, options, callback)
      },
      connectTimeoutMs: 5_000,
      maxConnectionsPerDestination: 10,
    })
    opened.push({ close: () => agent.destroy() })
    const url = `http://hooks.example.com:${server.port}/`
    for (const webhookId of [1, 2, 3]) await post(agent, url, { webhookId })
    lacking = true
    await expect(post(agent, url, { webhookId: 4 })).rejects.toThrow('EMFILE')
    await server.allClosed()
    lacking = false
    await expect(post(agent, url, { webhookId: 4 })).resolves.toMatchObject({ status: 200 })
  })

  test('limits the connections to a webhook', async () => {
    let active = 0
    let mostActive = 0
    const server = await opening(
      serveHttps(identity, (request, response) => {
        active += 1
        mostActive = Math.max(mostActive, active)
        request.resume().once('end', () => {
          active -= 1
          response.end()
        })
      }),
    )
    const agent = agentFor(server.port)
    await Promise.all(Array.from({ length: 40 }, () => post(agent, `https://${NAME}:${server.port}/`)))
    expect(server.connections.length).toBeLessThanOrEqual(10)
    expect(mostActive).toBeLessThanOrEqual(10)
  })
})
