import { EventEmitter, once } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { PUBLIC_ONLY, parseEgressRules } from '../../src/core/targets/index.ts'
import {
  createEgressAgent,
  createGuardedConnector,
  type EgressAgent,
  type EgressAgentOptions,
  Trust,
} from '../../src/engine/egress/index.ts'
import { makeCertificate } from './certificates.ts'
import { type DnsServer, serveDns } from './dnsServer.ts'
import {
  connectTo,
  deafResolver,
  type LoopbackServer,
  post,
  resolverOf,
  serveHttps,
  serveTcp,
} from './loopback.ts'
import { fakeTimers, timerCount } from './timers.ts'

const NAME = 'hooks.acme-receiver.com'
const HANGING = 'hang.acme-receiver.com'
const SHUT_DOWN = { code: 'connect_failed', message: expect.stringContaining('was shut down') as string }
const authority = await makeCertificate({ commonName: 'Test root', isAuthority: true })
const identity = await makeCertificate({ commonName: NAME, dnsNames: [NAME], issuer: authority })

const opened: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const each of opened.splice(0).reverse()) await each.close()
})

async function opening<T extends LoopbackServer | DnsServer>(server: Promise<T>): Promise<T> {
  opened.push(await server)
  return server
}

function agentFor(port: number, options: Partial<EgressAgentOptions>): EgressAgent {
  const agent = createEgressAgent({
    rules: parseEgressRules({ allow: '127.0.0.1', ports: String(port) }),
    trust: new Trust(authority.cert),
    connectTimeoutMs: 60_000,
    maxConnectionsPerDestination: 10,
    ...options,
  })
  opened.push({ close: () => agent.destroy() })
  return agent
}

/** A server that accepts and then sends nothing, and a promise of the first bytes that reach it. */
async function serveMute(): Promise<{ server: LoopbackServer; greeted: Promise<unknown> }> {
  const signals = new EventEmitter()
  const greeted = once(signals, 'greeted')
  const server = await opening(serveTcp((socket) => socket.once('data', () => signals.emit('greeted'))))
  return { server, greeted }
}

/** Of this process, in which other test files may have left some. */
const openSockets = () =>
  process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP') || name.startsWith('TLS')).length

/** Answers 127.0.0.1 to everything but one name. */
const serveNames = (): Promise<DnsServer> =>
  opening(
    serveDns(({ name, type }) => {
      if (name === HANGING) return 'silence'
      return type === 'A' ? ['127.0.0.1'] : []
    }),
  )

describe("the agent's own resolver", () => {
  test('delivers while another name hangs, with one query for each connection', async () => {
    const names = await serveNames()
    const server = await opening(serveHttps(identity))
    const agent = agentFor(server.port, { nameServers: [names.address] })
    const hung = post(agent, `https://${HANGING}:${server.port}/`)
    await names.asked(HANGING)
    for (let i = 0; i < 3; i++) {
      await expect(post(agent, `https://${NAME}:${server.port}/`)).resolves.toMatchObject({ status: 200 })
    }
    expect(names.questions.filter(({ name }) => name === NAME)).toHaveLength(2)
    const failure = expect(hung).rejects.toMatchObject(SHUT_DOWN)
    await agent.destroy()
    await failure
  })

  test('reports a name with silent servers as dns_failed, well before the connect timeout', async () => {
    const names = await serveNames()
    const agent = agentFor(443, { nameServers: [names.address], connectTimeoutMs: 6_000 })
    fakeTimers()
    const failure = post(agent, `https://${HANGING}/`)
    failure.catch(() => {})
    await names.asked(HANGING)
    vi.advanceTimersByTime(3_000)
    await expect(failure).rejects.toMatchObject({
      code: 'dns_failed',
      message: expect.stringMatching(/name servers .* did not answer.*ETIMEOUT/),
    })
  })

  test('rejects DNS answers in a private network', async () => {
    const names = await opening(serveDns(({ type }) => (type === 'A' ? ['10.0.0.1'] : ['::1'])))
    const agent = agentFor(443, { rules: PUBLIC_ONLY, nameServers: [names.address] })
    await expect(post(agent, `https://${NAME}/`)).rejects.toMatchObject({
      code: 'refused_target',
      message: expect.stringContaining('private, loopback'),
    })
  })
})

describe('destroy() ends at once', () => {
  test('a connect whose name is being resolved', async () => {
    const before = openSockets()
    const names = await serveNames()
    fakeTimers()
    const agent = agentFor(443, { nameServers: [names.address] })
    const failure = post(agent, `https://${HANGING}/`)
    failure.catch(() => {})
    await names.asked(HANGING, 'AAAA')
    expect(timerCount()).toBe(2)
    await agent.destroy()
    await expect(failure).rejects.toMatchObject(SHUT_DOWN)
    expect(timerCount()).toBe(0)
    await vi.waitUntil(() => openSockets() <= before)
  })

  test('a TLS handshake that is never answered', async () => {
    const { server, greeted } = await serveMute()
    const agent = agentFor(server.port, { lookup: resolverOf(['127.0.0.1']) })
    fakeTimers()
    const failure = post(agent, `https://${NAME}:${server.port}/`)
    failure.catch(() => {})
    await greeted
    await agent.destroy()
    await expect(failure).rejects.toMatchObject(SHUT_DOWN)
    expect(timerCount()).toBe(0)
    await server.allClosed()
  })

  test('a forward proxy that never answers', async () => {
    const { server, greeted } = await serveMute()
    const agent = agentFor(443, { proxy: `http://127.0.0.1:${server.port}` })
    fakeTimers()
    const failure = post(agent, `https://${NAME}/`)
    failure.catch(() => {})
    await greeted
    await agent.destroy()
    await expect(failure).rejects.toMatchObject(SHUT_DOWN)
    expect(timerCount()).toBe(0)
    await server.allClosed()
  })

  test('a second call does nothing; nothing is sent afterwards', async () => {
    const { server, greeted } = await serveMute()
    const agent = agentFor(server.port, { lookup: resolverOf(['127.0.0.1']) })
    const failure = post(agent, `https://${NAME}:${server.port}/`)
    failure.catch(() => {})
    await greeted
    await Promise.all([agent.destroy(), agent.destroy()])
    await expect(failure).rejects.toMatchObject(SHUT_DOWN)
    await server.allClosed()
    await agent.destroy()
    await expect(post(agent, `https://${NAME}:${server.port}/`)).rejects.toMatchObject(SHUT_DOWN)
    expect(server.connections).toHaveLength(1)
  })
})

describe('the signal of a connector', () => {
  test('ends a running connect with an error that blames no other party, and rejects the next', async () => {
    fakeTimers()
    const shutDown = new AbortController()
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      lookup: deafResolver,
      timeoutMs: 60_000,
      signal: shutDown.signal,
    })
    const failures = [connectTo(connector, `https://${NAME}/`), connectTo(connector, `https://${NAME}/`)]
    shutDown.abort()
    failures.push(connectTo(connector, `https://${NAME}/`))
    for (const each of await Promise.allSettled(failures)) {
      expect(each).toMatchObject({
        status: 'rejected',
        reason: { code: 'connect_failed', message: expect.stringContaining('was shut down') },
      })
    }
    expect(timerCount()).toBe(0)
  })
})
