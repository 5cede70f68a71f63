import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Connection } from '../../../src/engine/egress/http1/connection.ts'
import type { ResponseHandler } from '../../../src/engine/egress/http1/responseHandler.ts'
import { settled } from '../../engine/fakes.ts'
import { Signal } from '../../support/signal.ts'

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A socket that completes a write only when the test says so. */
function connected({ onFree, greeting }: { readonly onFree?: () => void; readonly greeting?: Buffer } = {}) {
  const reported: string[] = []
  const changed = new Signal()
  const tell = (text: string) => {
    reported.push(text)
    changed.fire()
  }
  let tellOfWrite = () => {}
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, callback) {
      tellOfWrite = callback
    },
  })
  const connection = new Connection({
    onFree: onFree ?? (() => tell('free')),
    onClosed: (_, lost) => tell(lost === null ? 'closed' : `closed, lost ${lost.text}`),
    onUnasked: () => tell('unasked'),
  })
  if (greeting !== undefined) connection.receive(greeting)
  connection.begin(socket as unknown as Socket)
  const handler: ResponseHandler = {
    ended: false,
    onConnecting: () => {},
    onConnect: () => {},
    onHead: ({ statusCode }) => tell(`head ${statusCode}`),
    onData: () => tell('data'),
    onComplete: () => tell('complete'),
    onError: ({ message }) => tell(message),
  }
  const send = (text: string) => connection.send({ text, handler })
  /** Resolves when exactly these events were recorded. */
  const tells = async (...expected: readonly string[]) => {
    await reportedCount(expected.length)
    expect(reported).toEqual(expected)
  }
  /** Resolves once this many events were recorded. */
  const reportedCount = (count: number) => changed.until(() => reported.length >= count)
  return {
    socket,
    connection,
    handler,
    reported,
    reportedCount,
    send,
    tells,
    tellOfWrite: () => tellOfWrite(),
  }
}

type Connected = ReturnType<typeof connected>

/** A connection that has carried a request. */
async function reused(): Promise<Connected> {
  const made = connected()
  made.send('the first')
  made.tellOfWrite()
  await settled()
  made.connection.receive(ANSWER)
  made.reported.length = 0
  return made
}

describe('data before the socket reports a request as written', () => {
  test('is read after that: TLS reports it late', async () => {
    const { connection, send, tells, reported, tellOfWrite } = connected()
    send('a request')
    connection.receive(ANSWER)
    expect(reported).toEqual([])
    tellOfWrite()
    await tells('head 200', 'data', 'free', 'complete')
  })

  test('is read after that on a reused connection, in any number of pieces', async () => {
    const { connection, send, tells, tellOfWrite } = await reused()
    send('the second')
    connection.receive(ANSWER.subarray(0, 20))
    connection.receive(ANSWER.subarray(20))
    tellOfWrite()
    await tells('head 200', 'data', 'free', 'complete')
  })

  test('is read though the receiver closes after it', async () => {
    const { socket, connection, send, tells, tellOfWrite } = await reused()
    send('the second')
    connection.receive(ANSWER)
    socket.resume().push(null)
    socket.once('end', tellOfWrite)
    await tells('head 200', 'data', 'complete', 'closed')
  })

  test('is not an answer on a reused connection, and the request is lost', async () => {
    const { connection, send, tells } = await reused()
    send('the second')
    connection.receive(ANSWER)
    await tells('unasked', 'closed, lost the second')
  })

  test('is the answer on a new connection, which is then closed', async () => {
    const { connection, send, tells } = connected()
    send('the first')
    connection.receive(ANSWER.subarray(0, 20))
    await turn()
    connection.receive(ANSWER.subarray(20))
    await tells('head 200', 'data', 'complete', 'closed')
  })

  test('is dropped with a request that was aborted, and the receiver is not blamed', async () => {
    const { connection, handler, tells, reported } = await reused()
    let abort = () => {}
    const onConnect = (end: () => void) => {
      abort = end
    }
    connection.send({ text: 'the second', handler: { ...handler, onConnect } })
    connection.receive(ANSWER)
    abort()
    await turn()
    await tells('closed')
    expect(reported).toEqual(['closed'])
  })

  test('and before the connection is established fails the request', async () => {
    const { send, reported, tells } = connected({ greeting: Buffer.from('220 mail.example.com ESMTP\r\n') })
    send('a request')
    await tells('unasked', 'closed', expect.stringContaining('(it arrived before the request)'))
    expect(reported).toHaveLength(3)
  })
})

describe('a request on a reused connection is lost', () => {
  const END: readonly (readonly [string, (peer: Connected) => void])[] = [
    ['closed', ({ socket }) => void socket.resume().push(null)],
    ['reset', ({ socket }) => void socket.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))],
    [
      'closed after a part of a head',
      ({ socket, connection }) => {
        connection.receive(ANSWER.subarray(0, 10))
        socket.resume().push(null)
      },
    ],
    [
      'closed after an interim response',
      ({ socket, connection }) => {
        connection.receive(Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'))
        socket.resume().push(null)
      },
    ],
    [
      'closed with a 408, which a receiver may send as it closes what lay idle',
      ({ connection }) => connection.receive(Buffer.from('HTTP/1.1 408 Late\r\nConnection: close\r\n\r\n')),
    ],
  ]

  test.each(END)('when that is %s', async (_, end) => {
    const peer = await reused()
    peer.send('the second')
    peer.tellOfWrite()
    await settled()
    end(peer)
    await peer.tells('closed, lost the second')
  })

  test.each(['ok', 'HTTP/1.1 101 Switching\r\n\r\n', `HTTP/1.1 200 ${'a'.repeat(20_000)}`])(
    'when the data is not an answer: %.20s',
    async (bytes) => {
      const { connection, send, tells, tellOfWrite } = await reused()
      send('the second')
      tellOfWrite()
      await settled()
      connection.receive(Buffer.from(bytes))
      await tells('unasked', 'closed, lost the second')
    },
  )

  test.each([
    [
      'a close',
      ({ socket }: Connected) => void socket.resume().push(null),
      'closed before there was a response',
    ],
    [
      'what is no answer',
      ({ connection }: Connected) => connection.receive(Buffer.from('ok')),
      'not valid HTTP/1.1',
    ],
  ])('but not after a second, when the receiver has read it: %s', async (_, end, message) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const peer = await reused()
    peer.send('the second')
    peer.tellOfWrite()
    await settled()
    vi.advanceTimersByTime(1_000)
    end(peer)
    await peer.reportedCount(2)
    expect(peer.reported.toSorted()).toEqual([expect.stringContaining(message), 'closed'])
  })

  test('but not once its answer began', async () => {
    const { socket, connection, send, tells, tellOfWrite } = await reused()
    send('the second')
    tellOfWrite()
    await settled()
    connection.receive(ANSWER.subarray(0, -1))
    socket.resume().push(null)
    await tells('head 200', 'data', 'closed', expect.stringContaining('closed before there was a response'))
  })

  test('but not when the pool ends it', async () => {
    const { connection, send, tells, tellOfWrite } = await reused()
    send('the second')
    tellOfWrite()
    connection.destroy(Object.assign(new Error('shut down'), { name: 'EgressError' }))
    await tells('closed', 'shut down')
  })
})

describe('a request on a new connection is not lost', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a 408',
      'HTTP/1.1 408 Late\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      ['head 408', 'complete'],
    ],
    ['what is no answer', 'ok', ['The response is not valid HTTP/1.1']],
  ])('with %s', async (_, answer, expected) => {
    const { connection, send, reported, reportedCount, tellOfWrite } = connected()
    send('the first')
    tellOfWrite()
    await settled()
    connection.receive(Buffer.from(answer))
    await reportedCount(expected.length + 1)
    expect(reported).toEqual([...expected.map((each) => expect.stringContaining(each)), 'closed'])
  })
})

test('a connection whose write fails after the answer is not free', async () => {
  const { socket, connection, send, tells } = connected()
  send('a request')
  connection.receive(ANSWER)
  socket.destroy(new Error('broken'))
  await tells('head 200', 'data', 'complete', 'closed')
})

describe('an error of a handler is not caught here', () => {
  const BROKEN = new Error('broken')
  const fail = () => {
    throw BROKEN
  }

  test('nor blamed on the next request', async () => {
    const { connection, handler, send, reported, tellOfWrite } = connected({ onFree: () => send('the next') })
    connection.send({ text: 'a request', handler: { ...handler, onComplete: fail } })
    tellOfWrite()
    await settled()
    expect(() => connection.receive(ANSWER)).toThrow(BROKEN)
    tellOfWrite()
    await settled()
    connection.receive(ANSWER)
    expect(reported).toEqual(['head 200', 'data', 'head 200', 'data', 'complete'])
  })

  test.each(['onHead', 'onData'])('out of %s', async (name) => {
    const { connection, handler, tellOfWrite } = connected()
    connection.send({ text: 'a request', handler: { ...handler, [name]: fail } })
    tellOfWrite()
    await settled()
    expect(() => connection.receive(ANSWER)).toThrow(BROKEN)
  })
})

describe('a connection that was open for five minutes', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Sends a request every three seconds, so that it is never idle for long. */
  async function sendFor(ms: number) {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { connection, send, reported, tellOfWrite } = connected()
    for (let sent = 0; sent <= ms; sent += 3_000) {
      reported.length = 0
      send('a request')
      tellOfWrite()
      await settled()
      connection.receive(ANSWER)
      vi.advanceTimersByTime(3_000)
    }
    await settled()
    return { connection, reported }
  }

  test('is closed with its next answer, though it was never idle for long', async () => {
    const { reported } = await sendFor(300_000)
    expect(reported).toEqual(['head 200', 'data', 'complete', 'closed'])
  })

  test('is free until then, and no longer', async () => {
    const { connection, reported } = await sendFor(297_000)
    expect(reported).toEqual(['head 200', 'data', 'free', 'complete'])
    expect(connection.usableUntil - connection.freeSince).toBe(3_000)
  })
})

describe('unsolicited data ends a connection,', () => {
  test('and the pool learns of it, when the connection is free', async () => {
    const { connection, tells } = await reused()
    connection.receive(Buffer.from('H'))
    await tells('unasked', 'closed')
  })

  test.each([
    ['a length', 'Content-Length: 2\r\n\r\nok'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['chunks and trailers', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n'],
  ])('and the answer is valid, when the data follows a body with %s', async (_, body) => {
    const { connection, send, tells, tellOfWrite } = await reused()
    send('a request')
    tellOfWrite()
    await settled()
    connection.receive(Buffer.from(`HTTP/1.1 200 OK\r\n${body}HTTP/1.1 410 Gone\r\n\r\n`))
    await tells('head 200', 'data', 'unasked', 'complete', 'closed')
  })

  test('and the receiver is not blamed, when it had announced the close', async () => {
    const { connection, send, tells, tellOfWrite } = await reused()
    send('a request')
    tellOfWrite()
    await settled()
    connection.receive(
      Buffer.from('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok and more'),
    )
    await tells('head 200', 'data', 'complete', 'closed')
  })
})
