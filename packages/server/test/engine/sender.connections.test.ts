import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AttemptOutcome } from '../../src/core/delivery.ts'
import { parseEgressRules } from '../../src/core/targets/index.ts'
import { Sender } from '../../src/engine/attempt/sender.ts'
import { createEgressAgent } from '../../src/engine/egress/index.ts'
import { deafResolver, resolverOf, serveTcp } from '../egress/loopback.ts'
import { ManualClock } from '../support/manualClock.ts'
import { Signal } from '../support/signal.ts'
import { settled } from './fakes.ts'
import {
  CountingClock,
  openSockets,
  receiver,
  requestTo,
  requestToUrl,
  startSender,
  TIMEOUT_MS,
} from './hostile.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Client sockets opened during the test. */
function clientSockets(): readonly Socket[] {
  const sockets: Socket[] = []
  const listen = (message: unknown) => sockets.push((message as { readonly socket: Socket }).socket)
  subscribe('net.client.socket', listen)
  onTestFinished(() => void unsubscribe('net.client.socket', listen))
  return sockets
}

function listenersOf(socket: Socket): number {
  return socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0)
}

describe('a connection', () => {
  test('is reused, collects no listeners and leaves no timers', async () => {
    const server = await receiver((socket) => socket.write(OK))
    const sockets = clientSockets()
    const { send, clock, ends } = startSender()
    await send(server.port)
    const before = listenersOf(sockets[0]!)
    for (let i = 0; i < 30; i++) {
      await settled()
      await send(server.port)
    }
    expect([sockets.length, server.connections.length, listenersOf(sockets[0]!)]).toEqual([1, 1, before])
    // One timer for each queue of deadlines, however many were set.
    expect([ends(), clock.pending <= 2]).toEqual([31, true])
  })

  test('closed by the receiver between two requests is replaced invisibly', async () => {
    const server = await receiver((socket) => socket.end(OK))
    const { send } = startSender()
    for (let request = 1; request <= 3; request++) {
      expect((await send(server.port)).outcome.error).toBeNull()
      await server.allClosed()
    }
    expect(server.connections).toHaveLength(3)
  })

  test.each(['closes', 'resets'])(
    'that the receiver %s as the next request arrives is replaced within that attempt',
    async (how) => {
      const server = await receiver((socket, request) => {
        if (request !== 2) socket.write(OK)
        else if (how === 'closes') socket.end()
        else socket.resetAndDestroy()
      })
      const { send, ends } = startSender()
      await send(server.port)
      await settled()
      expect((await send(server.port)).outcome.error).toBeNull()
      expect([server.connections.length, server.requests(), ends()]).toEqual([2, 3, 2])
    },
  )

  test('closed by the receiver on each request fails an attempt as reset after two connections', async () => {
    const server = await receiver((socket, request) => (request === 1 ? socket.write(OK) : socket.end()))
    const { send, ends } = startSender()
    await send(server.port)
    await settled()
    expect((await send(server.port)).outcome.error).toMatchObject({ code: 'reset' })
    expect([server.connections.length, server.requests(), ends()]).toEqual([2, 3, 2])
  })

  test('that is replaced leaves the attempt its deadline, whose error shows the progress of the new one', async () => {
    const server = await receiver((socket, request) => (request === 1 ? socket.write(OK) : socket.end()))
    let asked = () => {}
    const again = new Promise<void>((resolve) => {
      asked = resolve
    })
    let connects = 0
    const agent = createEgressAgent({
      rules: parseEgressRules({ allow: 'hooks.example.com' }),
      lookup: (name, options, callback) => {
        connects += 1
        if (connects === 1) resolverOf(['127.0.0.1'])(name, options, callback)
        else asked()
      },
      connectTimeoutMs: 20_000,
      maxConnectionsPerDestination: 10,
    })
    const clock = new ManualClock()
    const sender = new Sender({ agent, clock, timeoutMs: 2_000 })
    onTestFinished(() => sender.destroy())
    const request = requestToUrl(`http://hooks.example.com:${server.port}/hook`)
    const send = () => new Promise<AttemptOutcome>((resolve) => sender.send(request, resolve))
    expect((await send()).error).toBeNull()
    const second = send()
    await again
    clock.advance(2_000)
    expect((await second).error).toEqual({
      code: 'connect_timeout',
      fault: 'resolver_trouble',
      message: expect.stringMatching(/^DNS did not resolve/),
    })
  })

  test.each([
    ['one after the other', 1],
    ['two at a time', 2],
  ])('closed by the receiver with each answer, without notice, fails nothing: %s', async (_, atOnce) => {
    const server = await receiver((socket) => socket.end(OK))
    const { send } = startSender({ maxConnectionsPerDestination: 1 })
    for (let request = 0; request < 50; request += atOnce) {
      const sent = await Promise.all(Array.from({ length: atOnce }, () => send(server.port)))
      expect(sent.map(({ outcome }) => outcome.error)).toEqual(Array(atOnce).fill(null))
      // The next request is sent before the end of the connection can be read.
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(server.requests()).toBe(50)
  })

  test('closed by the receiver with every third answer, without notice, fails at most one request', async () => {
    const answers = new WeakMap<Socket, number>()
    const server = await receiver((socket) => {
      const answer = (answers.get(socket) ?? 0) + 1
      answers.set(socket, answer)
      if (answer < 3) socket.write(OK)
      else socket.end(OK)
    })
    const { send } = startSender()
    let failed = 0
    for (let request = 1; request <= 60; request++) {
      if ((await send(server.port)).outcome.error !== null) failed += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(failed).toBeLessThanOrEqual(1)
  })

  test('whose answer announces a forbidden body is not reused', async () => {
    const server = await receiver((socket, request) =>
      socket.write(request === 1 ? 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n' : OK),
    )
    const { send } = startSender()
    expect((await send(server.port)).outcome.statusCode).toBe(204)
    expect((await send(server.port)).outcome.statusCode).toBe(200)
    expect(server.connections).toHaveLength(2)
  })

  test('carries one request at a time', async () => {
    const open: (() => void)[] = []
    const arrived = new Signal()
    const server = await receiver((socket) => {
      open.push(() => socket.write(OK))
      arrived.fire()
    })
    const { send } = startSender({ maxConnectionsPerDestination: 1 })
    const sent = Promise.all([send(server.port), send(server.port), send(server.port)])
    for (let answered = 1; answered <= 3; answered++) {
      await arrived.until(() => open.length > 0)
      await settled()
      expect(server.requests()).toBe(answered)
      open.shift()!()
    }
    await sent
    expect(server.connections).toHaveLength(1)
  })

  test('with more answers than requests is not reused', async () => {
    const server = await receiver((socket) => socket.write(OK + OK))
    const { send } = startSender()
    await send(server.port)
    await server.allClosed()
    expect((await send(server.port)).outcome.error).toBeNull()
    expect(server.connections).toHaveLength(2)
  })
})

describe('no connection', () => {
  test('to an unused port fails at once, with advice', async () => {
    const server = await receiver(() => {})
    await server.close().catch(() => {})
    const { outcome } = await startSender().send(server.port)
    expect(outcome.error).toEqual({
      code: 'connect_failed',
      fault: 'connect_failed',
      message: expect.stringMatching(/refused the connection/),
    })
  })

  test('before the deadline fails the attempt once, and nothing is written when it is established later', async () => {
    const clock = new CountingClock()
    const agent = createEgressAgent({
      rules: parseEgressRules({ allow: '127.0.0.1/32' }),
      lookup: deafResolver,
      connectTimeoutMs: 2 * TIMEOUT_MS,
      maxConnectionsPerDestination: 1,
    })
    const sender = new Sender({ agent, clock, timeoutMs: 50 })
    const errors: unknown[] = []
    const request = requestToUrl('https://hooks.example.com/hook')
    await new Promise<void>((resolve) => {
      sender.send(request, ({ error }) => {
        errors.push(error)
        resolve()
      })
    })
    await sender.destroy()
    await settled()
    expect(errors).toEqual([
      {
        code: 'connect_timeout',
        fault: 'resolver_trouble',
        message: expect.stringMatching(/^DNS did not resolve the host name/),
      },
    ])
  })
})

describe('the deadline of an attempt explains where the time went:', () => {
  /** Sends to a host that does not answer; the time is over when the request has been sent. */
  async function failureOf(through: 'nothing' | 'a proxy') {
    let greet = () => {}
    const greeted = new Promise<void>((resolve) => {
      greet = resolve
    })
    const server = await serveTcp((socket) => socket.once('data', greet))
    onTestFinished(() => server.close())
    const agent = createEgressAgent({
      rules: parseEgressRules({ allow: '127.0.0.1/32,hooks.example.com', ports: String(server.port) }),
      lookup: resolverOf(['127.0.0.1']),
      proxy: through === 'a proxy' ? `http://127.0.0.1:${server.port}` : undefined,
      connectTimeoutMs: 20_000,
      maxConnectionsPerDestination: 1,
    })
    const clock = new ManualClock()
    const sender = new Sender({ agent, clock, timeoutMs: 2_000 })
    onTestFinished(() => sender.destroy())
    const outcomes: AttemptOutcome[] = []
    const request = requestToUrl(`https://hooks.example.com:${server.port}/hook`)
    for (let i = 0; i < 2; i++) sender.send(request, (outcome) => outcomes.push(outcome))
    await greeted
    clock.advance(2_000)
    return outcomes.map(({ error }) => error)
  }

  test('the TLS handshake, or the wait for a connection', async () => {
    expect(await failureOf('nothing')).toEqual([
      {
        code: 'connect_timeout',
        fault: 'tls_timeout',
        message: expect.stringMatching(/did not finish the TLS handshake in time/),
      },
      {
        code: 'connect_timeout',
        fault: 'no_free_connection',
        message: expect.stringMatching(/^No connection was free within 2 s/),
      },
    ])
  })

  test('the forward proxy', async () => {
    const [error] = await failureOf('a proxy')
    expect(error).toEqual({
      code: 'connect_timeout',
      fault: 'proxy_timeout',
      message: expect.stringMatching(/forward proxy did not open a connection in time/),
    })
  })
})

describe('hanging receivers', () => {
  test('do not delay other requests to the same origin', async () => {
    const server = await receiver((socket, request) => {
      if (request % 4 !== 0) socket.write(OK)
    })
    const { send, ends } = startSender({ timeoutMs: 3 * TIMEOUT_MS })
    const all = await Promise.all(Array.from({ length: 40 }, () => send(server.port)))
    const codes = all.map(({ outcome }) => outcome.error?.code ?? 'ok')
    expect(codes.filter((code) => code === 'ok')).toHaveLength(30)
    expect(codes.filter((code) => code === 'timeout')).toHaveLength(10)
    for (const { outcome, durationMs } of all) {
      if (outcome.error === null) expect(durationMs).toBeLessThan(3 * TIMEOUT_MS)
    }
    expect([ends(), server.requests()]).toEqual([40, 40])
  })

  test('are released by an abandoned request, which reports nothing more', async () => {
    let arrived = () => {}
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const server = await receiver(() => arrived())
    const { sender, clock } = startSender()
    const outcomes: unknown[] = []
    const sending = sender.send(requestTo(server.port), (outcome) => outcomes.push(outcome))
    await arrival
    sending.abandon()
    sending.abandon()
    await server.allClosed()
    expect([await openSockets(), outcomes, clock.pending <= 1]).toEqual([0, [], true])
  })

  test('are released by destroy, which ends requests in flight', async () => {
    let arrived = () => {}
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const server = await receiver(() => arrived())
    const { sender, send } = startSender()
    const sent = send(server.port)
    await arrival
    await sender.destroy()
    expect((await sent).outcome.error).not.toBeNull()
    await server.allClosed()
    expect(await openSockets()).toBe(0)
  })
})
