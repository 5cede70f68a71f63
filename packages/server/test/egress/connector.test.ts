import { EventEmitter, once } from 'node:events'
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PUBLIC_ONLY, parseEgressRules } from '../../src/core/targets/index.ts'
import { createGuardedConnector, EgressError } from '../../src/engine/egress/index.ts'
import { guardLookup } from '../../src/engine/egress/lookup.ts'
import {
  connectTo,
  deafResolver,
  type LoopbackServer,
  resolverOf,
  serveHttp,
  serveTcp,
  systemError,
} from './loopback.ts'
import { fakeTimers, timerCount } from './timers.ts'

const NAME = 'hooks.acme-receiver.com'

let server: LoopbackServer

beforeEach(async () => {
  server = await serveHttp()
})

afterEach(async () => {
  vi.useRealTimers()
  await server.close()
})

/** Allows names at exactly one loopback address, over plain TCP so that TLS is not involved. */
const named = (port: number) => parseEgressRules({ allow: `127.0.0.1,${NAME}`, ports: String(port) })

/** Like a public receiver, except for the port and that 127.0.0.1 counts as a public address. */
const standIn = (port: number) => parseEgressRules({ allow: '127.0.0.1', ports: String(port) })

describe('a socket goes only to classified addresses', () => {
  test('a name that resolves to a private address is rejected, naming the kind, and nothing is connected', async () => {
    const rules = parseEgressRules({ ports: String(server.port) })
    const lookup = resolverOf(['127.0.0.1', '10.0.0.1', '::1'])
    const connector = createGuardedConnector({ rules, lookup, timeoutMs: 5_000 })
    const failure = connectTo(connector, `https://${NAME}:${server.port}/`)
    await expect(failure).rejects.toMatchObject({
      name: 'EgressError',
      code: 'refused_target',
      message: expect.stringContaining('loopback, private'),
    })
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringMatching(/127\.0|10\.0|::1/) })
    expect(lookup.calls).toEqual([NAME])
    expect(server.connections).toHaveLength(0)
  })

  test.each([
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '127.0.0.1%lo',
    '0x7f.1',
    '',
  ])('a resolver that answers "%s" is not trusted', async (address) => {
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      lookup: resolverOf([address]),
      timeoutMs: 5_000,
    })
    await expect(connectTo(connector, `https://${NAME}/`)).rejects.toMatchObject({ code: 'refused_target' })
  })

  test('a name is resolved once, so an answer that changes (rebinding) is never seen', async () => {
    const lookup = resolverOf(['127.0.0.1'], ['127.0.0.9'])
    const rules = parseEgressRules({ allow: '127.0.0.1', ports: String(server.port) })
    const guarded = guardLookup(lookup, rules)
    const found = await new Promise((resolve) => guarded(NAME, { all: true }, (...answer) => resolve(answer)))
    expect(found).toEqual([null, [{ address: '127.0.0.1', family: 4 }]])
    expect(lookup.calls).toHaveLength(1)

    const rebinding = resolverOf(['127.0.0.1'], ['127.0.0.9'])
    const connector = createGuardedConnector({
      rules: named(server.port),
      lookup: rebinding,
      timeoutMs: 5_000,
    })
    const socket = await connectTo(connector, `http://${NAME}:${server.port}/`)
    expect(socket.remoteAddress).toBe('127.0.0.1')
    expect(rebinding.calls).toHaveLength(1)
    socket.destroy()
  })

  test('the next connect of a rebinding name is classified again and rejected', async () => {
    const silent = await serveTcp((socket) => socket.end())
    const lookup = resolverOf(['127.0.0.1'], ['127.0.0.9'])
    const connector = createGuardedConnector({ rules: standIn(silent.port), lookup, timeoutMs: 5_000 })
    await expect(connectTo(connector, `https://${NAME}:${silent.port}/`)).rejects.toMatchObject({
      code: 'tls_failed',
    })
    await expect(connectTo(connector, `https://${NAME}:${silent.port}/`)).rejects.toMatchObject({
      code: 'refused_target',
    })
    expect(silent.connections).toHaveLength(1)
    await silent.close()
  })

  test('of a mixed answer only the allowed addresses are passed to the socket', async () => {
    const lookup = resolverOf(['10.0.0.1', '::1', '127.0.0.9', '127.0.0.1', 'fe80::1%eth0'])
    const guarded = guardLookup(lookup, standIn(server.port))
    const all = await new Promise((resolve) => guarded(NAME, { all: true }, (...answer) => resolve(answer)))
    expect(all).toEqual([null, [{ address: '127.0.0.1', family: 4 }]])
    const one = await new Promise((resolve) => guarded(NAME, {}, (...answer) => resolve(answer)))
    expect(one).toEqual([null, '127.0.0.1', 4])
  })

  test('a public address passes the guard', async () => {
    const guarded = guardLookup(resolverOf(['93.184.215.14', '10.0.0.1', '2606:4700::1']), PUBLIC_ONLY)
    const answer = await new Promise((resolve) => guarded(NAME, { all: true }, (_, found) => resolve(found)))
    expect(answer).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ])
  })

  test('the next address is tried when one does not answer, whatever the process-wide default', async () => {
    const before = getDefaultAutoSelectFamily()
    setDefaultAutoSelectFamily(false)
    try {
      const rules = parseEgressRules({ allow: NAME })
      const lookup = resolverOf(['127.0.0.2', '127.0.0.1'])
      const connector = createGuardedConnector({ rules, lookup, timeoutMs: 5_000 })
      const socket = await connectTo(connector, `http://${NAME}:${server.port}/`)
      expect(socket.remoteAddress).toBe('127.0.0.1')
      socket.destroy()
    } finally {
      setDefaultAutoSelectFamily(before)
    }
  })

  test('an allowed host may be anywhere', async () => {
    const rules = parseEgressRules({ allow: 'receiver.internal' })
    const lookup = resolverOf(['127.0.0.1'])
    const connector = createGuardedConnector({ rules, lookup, timeoutMs: 5_000 })
    const socket = await connectTo(connector, `http://receiver.internal:${server.port}/`)
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })
})

describe('the connector applies the rules to the host itself', () => {
  test.each([
    ['https://127.0.0.1/', 'The host is an IP address'],
    ['https://[::1]/', 'The host is an IP address'],
    ['https://[::ffff:7f00:1]/', 'The host is an IP address'],
    ['https://8.8.8.8/', 'The host is an IP address'],
    ['https://localhost/', 'refers to the local machine'],
    ['https://redis/', 'has no dot'],
    [`https://${NAME}:6379/`, 'Port 6379 is not allowed'],
    [`http://${NAME}/`, 'does not start with https://'],
  ])('%s is rejected without a DNS query', async (url, reason) => {
    const lookup = resolverOf(['93.184.215.14'])
    const connector = createGuardedConnector({ rules: PUBLIC_ONLY, lookup, timeoutMs: 5_000 })
    await expect(connectTo(connector, url)).rejects.toMatchObject({
      code: 'refused_target',
      message: expect.stringContaining(reason),
    })
    expect(lookup.calls).toHaveLength(0)
  })

  test('a literal inside an allowed network is connected without a DNS query', async () => {
    const lookup = resolverOf([])
    const connector = createGuardedConnector({ rules: standIn(443), lookup, timeoutMs: 5_000 })
    const socket = await connectTo(connector, `http://127.0.0.1:${server.port}/`)
    expect(socket.remotePort).toBe(server.port)
    expect(lookup.calls).toHaveLength(0)
    socket.destroy()
  })
})

describe('every failure of a connect has a code', () => {
  test.each([
    ['ENOTFOUND', 'dns_failed'],
    ['EAI_AGAIN', 'dns_failed'],
    ['ECONNREFUSED', 'dns_failed'],
  ])('a resolver that fails with %s: %s', async (systemCode, code) => {
    const cause = systemError(systemCode)
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      lookup: resolverOf(cause),
      timeoutMs: 5_000,
    })
    await expect(connectTo(connector, `https://${NAME}/`)).rejects.toMatchObject({ code, cause })
  })

  test('a resolver that throws, answers nothing or answers twice', async () => {
    const throwing = () => {
      throw systemError('EAI_FAIL')
    }
    const connector = createGuardedConnector({ rules: PUBLIC_ONLY, lookup: throwing, timeoutMs: 5_000 })
    await expect(connectTo(connector, `https://${NAME}/`)).rejects.toMatchObject({ code: 'dns_failed' })

    const empty = createGuardedConnector({ rules: PUBLIC_ONLY, lookup: resolverOf([]), timeoutMs: 5_000 })
    await expect(connectTo(empty, `https://${NAME}/`)).rejects.toMatchObject({ code: 'dns_failed' })

    const answers: unknown[] = []
    const twice = guardLookup((_, __, callback) => {
      callback(null, [{ address: '93.184.215.14', family: 4 }])
      callback(null, [{ address: '10.0.0.1', family: 4 }])
    }, PUBLIC_ONLY)
    twice(NAME, { all: true }, (_, found) => answers.push(found))
    await new Promise((resolve) => setImmediate(resolve))
    expect(answers).toEqual([[{ address: '93.184.215.14', family: 4 }]])
  })

  test('a port on which nothing listens: connect_failed', async () => {
    await server.close()
    const one = createGuardedConnector({
      rules: standIn(server.port),
      lookup: resolverOf(['127.0.0.1']),
      timeoutMs: 5_000,
    })
    const error = await connectTo(one, `https://${NAME}:${server.port}/`).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(EgressError)
    expect(error).toMatchObject({ code: 'connect_failed', message: expect.stringContaining('ECONNREFUSED') })
    expect((error as EgressError).cause).toMatchObject({ code: 'ECONNREFUSED' })

    const both = createGuardedConnector({
      rules: parseEgressRules({ allow: '127.0.0.0/30', ports: String(server.port) }),
      lookup: resolverOf(['127.0.0.1', '127.0.0.2']),
      timeoutMs: 5_000,
    })
    await expect(connectTo(both, `https://${NAME}:${server.port}/`)).rejects.toMatchObject({
      code: 'connect_failed',
    })
    server = await serveHttp()
  })
})

describe('a connect ends at its timeout', () => {
  const TIMEOUT_MS = 7_000

  beforeEach(() => {
    fakeTimers()
  })

  test('a resolver that never answers leaves no timer and no connection', async () => {
    const connector = createGuardedConnector({
      rules: PUBLIC_ONLY,
      lookup: deafResolver,
      timeoutMs: TIMEOUT_MS,
    })
    const failure = connectTo(connector, `https://${NAME}/`)
    const settled = vi.fn()
    failure.then(settled, settled)
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS - 1)
    expect(settled).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringContaining('DNS did not resolve'),
    })
    expect(timerCount()).toBe(0)
  })

  test('a resolver that answers too late no longer connects', async () => {
    const answer: (() => void)[] = []
    const connector = createGuardedConnector({
      rules: named(server.port),
      lookup: (_, __, callback) => answer.push(() => callback(null, [{ address: '127.0.0.1', family: 4 }])),
      timeoutMs: TIMEOUT_MS,
    })
    const failure = connectTo(connector, `http://${NAME}:${server.port}/`)
    vi.advanceTimersByTime(TIMEOUT_MS)
    await expect(failure).rejects.toMatchObject({ code: 'connect_timeout' })
    answer[0]?.()
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.connections).toHaveLength(0)
    expect(timerCount()).toBe(0)
  })

  test('a server that accepts and never starts TLS is abandoned, and its socket destroyed', async () => {
    const greeted = new EventEmitter()
    const mute = await serveTcp((socket) => socket.once('data', () => greeted.emit('hello')))
    const connector = createGuardedConnector({
      rules: standIn(mute.port),
      lookup: resolverOf(['127.0.0.1']),
      timeoutMs: TIMEOUT_MS,
    })
    const failure = connectTo(connector, `https://${NAME}:${mute.port}/`)
    failure.catch(() => {})
    await once(greeted, 'hello')
    vi.advanceTimersByTime(TIMEOUT_MS)
    await expect(failure).rejects.toMatchObject({
      code: 'connect_timeout',
      message: expect.stringContaining('TLS handshake'),
    })
    await mute.allClosed()
    expect(timerCount()).toBe(0)
    await mute.close()
  })

  test('a connect that succeeds or fails clears its timer', async () => {
    const connector = createGuardedConnector({
      rules: named(server.port),
      lookup: resolverOf(['127.0.0.1'], systemError('ENOTFOUND')),
      timeoutMs: TIMEOUT_MS,
    })
    const socket = await connectTo(connector, `http://${NAME}:${server.port}/`)
    expect(timerCount()).toBe(0)
    await expect(connectTo(connector, `http://${NAME}:${server.port}/`)).rejects.toThrow('ENOTFOUND')
    expect(timerCount()).toBe(0)
    socket.destroy()
  })
})
