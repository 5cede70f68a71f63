import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { AttemptErrorCode } from '../../src/core/delivery.ts'
import { bytes, openSockets, receiver, startSender, TIMEOUT_MS } from './hostile.ts'

const BIG = 10 * 1024 * 1024
const BOMB = gzipSync(Buffer.alloc(BIG))
const NOISE = Buffer.from([0x00, 0xff, 0xfe, 0xc3, 0x28, 0x00, 0x80, 0x0a])
const OK = 'HTTP/1.1 200 OK\r\n'

/** Writes a little repeatedly until the connection is gone. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10)
  socket.once('close', () => clearInterval(timer))
}

interface Success {
  readonly name: string
  readonly respond: (socket: Socket) => void
  readonly statusCode: number
  readonly body: Uint8Array | null
}

const says =
  (...parts: readonly (string | Uint8Array)[]) =>
  (socket: Socket) =>
    void socket.write(bytes(...parts))

const SUCCESSES: readonly Success[] = [
  { name: 'no body at all', respond: says('HTTP/1.1 204 No Content\r\n\r\n'), statusCode: 204, body: null },
  {
    name: 'a 205 without a body',
    respond: says('HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n'),
    statusCode: 205,
    body: null,
  },
  {
    name: 'a 204 that has a body all the same',
    respond: says('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nhi'),
    statusCode: 204,
    body: null,
  },
  {
    name: 'ten megabytes, of which 2 KB are kept',
    respond: says(OK, `Content-Length: ${BIG}\r\n\r\n`, Buffer.alloc(BIG, 'x')),
    statusCode: 200,
    body: Buffer.alloc(2048, 'x'),
  },
  {
    name: 'a gzip bomb, kept as it came',
    respond: says(OK, `Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`, BOMB),
    statusCode: 200,
    body: BOMB.subarray(0, 2048),
  },
  {
    name: 'bytes that are not UTF-8, and NUL',
    respond: says(OK, `Content-Length: ${NOISE.length}\r\n\r\n`, NOISE),
    statusCode: 200,
    body: NOISE,
  },
  {
    name: 'less body than it announced',
    respond: (socket) => socket.end(bytes(OK, 'Content-Length: 10\r\n\r\nshort')),
    statusCode: 200,
    body: Buffer.from('short'),
  },
  {
    name: 'more body than it announced',
    respond: says(OK, 'Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n'),
    statusCode: 200,
    body: Buffer.from('ok'),
  },
  {
    name: 'broken chunks',
    respond: says(OK, 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n'),
    statusCode: 200,
    body: Buffer.from('ok'),
  },
  {
    name: 'HTTP/1.0 without a length',
    respond: (socket) => socket.end(bytes('HTTP/1.0 200 OK\r\n\r\nold')),
    statusCode: 200,
    body: Buffer.from('old'),
  },
  {
    name: 'a reset after the headers',
    respond: (socket) => {
      socket.write(bytes(OK, 'Content-Length: 10\r\n\r\nhalf'), () =>
        setImmediate(() => socket.resetAndDestroy()),
      )
    },
    statusCode: 200,
    body: expect.anything() as unknown as Uint8Array,
  },
]

describe('a 2xx status line is a success, whatever follows it:', () => {
  test.each(SUCCESSES)('$name', async ({ respond, statusCode, body, name }) => {
    const server = await receiver(respond)
    const { send, ends } = startSender()
    const { outcome } = await send(server.port)
    const kept =
      name === 'a reset after the headers' ? outcome.body : body === null ? null : Uint8Array.from(body)
    expect(outcome).toEqual({
      error: null,
      statusCode,
      contentType: null,
      body: kept,
      retryAfter: null,
      newConnection: true,
    })
    expect([ends(), server.requests()]).toEqual([1, 1])
  })

  test('a body that drips for ever costs only the grace period for bodies', async () => {
    const server = await receiver((socket) => {
      socket.write(bytes(OK, 'Content-Length: 1000000\r\n\r\n'))
      drip(socket, 'x')
    })
    const { outcome, durationMs } = await startSender({ timeoutMs: TIMEOUT_MS }).send(server.port)
    expect(outcome).toMatchObject({ error: null, statusCode: 200 })
    expect(outcome.body!.length).toBeGreaterThan(0)
    expect(durationMs).toBeLessThan(10 * TIMEOUT_MS)
    await server.allClosed()
  })

  test('the connection of a truncated body is dropped', async () => {
    const server = await receiver(says(OK, `Content-Length: ${BIG}\r\n\r\n`, Buffer.alloc(BIG)))
    await startSender().send(server.port)
    await server.allClosed()
    expect(await openSockets()).toBe(0)
  })
})

describe('an interim response before the answer is skipped:', () => {
  const ANSWER = `${OK}Content-Length: 2\r\n\r\nok`

  test.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 Continue with headers', 'HTTP/1.1 100 Continue\r\nServer: old\r\nContent-Length: 0\r\n\r\n'],
    ['100 Continue twice', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
    ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
    ['all of them', 'HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n'],
  ])('%s', async (_, interim) => {
    const server = await receiver(says(interim, ANSWER))
    const { send } = startSender()
    for (let request = 1; request <= 3; request++) {
      const { outcome } = await send(server.port)
      expect(outcome).toMatchObject({
        error: null,
        statusCode: 200,
        body: Uint8Array.from(Buffer.from('ok')),
      })
    }
    expect(server.connections).toHaveLength(1)
  })

  test('100 Continue that arrives byte by byte', async () => {
    const server = await receiver((socket) => {
      socket.setNoDelay(true)
      const rest = [...`HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`]
      const next = () => {
        const char = rest.shift()
        if (char !== undefined) socket.write(char, () => setImmediate(next))
      }
      next()
    })
    const { outcome } = await startSender().send(server.port)
    expect(outcome).toMatchObject({ error: null, statusCode: 200 })
  })

  test('an interim response and then nothing times out', async () => {
    const server = await receiver(says('HTTP/1.1 100 Continue\r\n\r\n'))
    const { outcome } = await startSender({ timeoutMs: TIMEOUT_MS }).send(server.port)
    expect(outcome).toMatchObject({ error: { code: 'timeout' }, statusCode: null })
    await server.allClosed()
  })
})

interface Failure {
  readonly name: string
  readonly respond: (socket: Socket) => void
  readonly code: AttemptErrorCode
  readonly says: RegExp
}

const FAILURES: readonly Failure[] = [
  { name: 'never answers', respond: () => {}, code: 'timeout', says: /^No response within 0\.8 s\. Answer/ },
  {
    name: 'sends headers that never end',
    respond: (socket) => {
      socket.write(OK)
      drip(socket, 'X-More: and more\r\n')
    },
    code: 'timeout',
    says: /Answer with 2xx first/,
  },
  {
    name: 'sends a flood of headers',
    respond: says(OK, 'X-Header: value\r\n'.repeat(10_000)),
    code: 'protocol_error',
    says: /headers are longer than 16 KB/,
  },
  {
    name: 'sends one huge header',
    respond: says(OK, `X-Header: ${'x'.repeat(100_000)}\r\n\r\n`),
    code: 'protocol_error',
    says: /headers are longer than 16 KB/,
  },
  {
    name: 'resets the connection within the headers',
    respond: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-', () => setImmediate(() => socket.resetAndDestroy()))
    },
    code: 'reset',
    says: /closed before there was a response/,
  },
  {
    name: 'closes the connection within the headers',
    respond: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'),
    code: 'reset',
    says: /closed before there was a response/,
  },
  {
    name: 'closes the connection without an answer',
    respond: (socket) => socket.end(),
    code: 'reset',
    says: /Check for a crash/,
  },
  {
    name: 'resets the connection without an answer',
    respond: (socket) => socket.resetAndDestroy(),
    code: 'reset',
    says: /Check for a crash/,
  },
  {
    name: 'speaks another protocol',
    respond: says('SSH-2.0-OpenSSH_9.6\r\n'),
    code: 'protocol_error',
    says: /^The response is not valid HTTP\/1\.1 \(its status line is invalid\)\. Check/,
  },
  {
    name: 'answers with noise',
    respond: says(randomBytes(64).fill(0, 0, 1)),
    code: 'protocol_error',
    says: /not valid HTTP/,
  },
  {
    name: 'puts a NUL into a header',
    respond: says(OK, 'Content-Type: a\0b\r\n\r\n'),
    code: 'protocol_error',
    says: /\(a header value has a control character\)/,
  },
  {
    name: 'has an invalid status',
    respond: says('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n'),
    code: 'protocol_error',
    says: /its status line is invalid/,
  },
  {
    name: 'gives two lengths',
    respond: says(OK, 'Content-Length: 2\r\nContent-Length: 3\r\n\r\nok'),
    code: 'protocol_error',
    says: /length headers/,
  },
  {
    name: 'sends interim responses for ever',
    respond: (socket) => drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
    code: 'protocol_error',
    says: /\(too many interim responses\)/,
  },
  {
    name: 'switches protocols',
    respond: says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
    code: 'protocol_error',
    says: /101 Switching Protocols/,
  },
]

describe('a receiver fails an attempt once, with a reason and advice, and is disconnected, when it', () => {
  test.each(FAILURES)('$name', async ({ respond, code, says }) => {
    const server = await receiver(respond)
    const { send, ends, clock } = startSender(code === 'timeout' ? { timeoutMs: TIMEOUT_MS } : {})
    const { outcome, durationMs } = await send(server.port)
    expect(outcome).toEqual({
      error: { code, fault: expect.any(String), message: expect.stringMatching(says) },
      statusCode: null,
      contentType: null,
      body: null,
      retryAfter: null,
      newConnection: false,
    })
    expect(durationMs).toBeLessThan(10 * TIMEOUT_MS)
    await server.allClosed()
    expect(await openSockets()).toBe(0)
    // The queue of deadlines keeps its only timer until it fires.
    expect([ends(), server.requests(), clock.pending <= 1]).toEqual([1, 1, true])
  })
})
