import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Connection } from '../../../src/engine/egress/http1/connection.ts'
import type { ResponseHandler } from '../../../src/engine/egress/http1/responseHandler.ts'
import { settled } from '../../engine/fakes.ts'

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
const TOLD_WITHIN_MS = 10_000

/** A socket that tells of a write when it is told to. */
function connected({ onFree }: { readonly onFree?: () => void } = {}) {
  const told: string[] = []
  let tellOfWrite = () => {}
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, callback) {
      tellOfWrite = callback
    },
  })
  const connection = new Connection({
    onFree: onFree ?? (() => told.push('free')),
    onClosed: () => told.push('closed'),
  })
  connection.begin(socket as unknown as Socket)
  const handler: ResponseHandler = {
    ended: false,
    onConnecting: () => {},
    onConnect: () => {},
    onHead: ({ statusCode }) => told.push(`head ${statusCode}`),
    onData: () => told.push('data'),
    onComplete: () => told.push('complete'),
    onError: ({ message }) => told.push(message),
  }
  return { socket, connection, handler, told, tellOfWrite: () => tellOfWrite() }
}

test('a connection whose answer came before its request was told to be written is free after that', async () => {
  const { connection, handler, told, tellOfWrite } = connected()
  connection.send('a request', handler)
  connection.receive(ANSWER)
  expect(told).toEqual(['head 200', 'data', 'complete'])
  expect([connection.idle, connection.open]).toEqual([true, true])
  tellOfWrite()
  await expect.poll(() => told, { timeout: TOLD_WITHIN_MS }).toEqual(['head 200', 'data', 'complete', 'free'])
})

test('a connection whose write fails after the answer is not free', async () => {
  const { socket, connection, handler, told } = connected()
  connection.send('a request', handler)
  connection.receive(ANSWER)
  socket.destroy(new Error('broken'))
  await expect
    .poll(() => told, { timeout: TOLD_WITHIN_MS })
    .toEqual(['head 200', 'data', 'complete', 'closed'])
})

describe('what a handler throws is not caught here', () => {
  const BROKEN = new Error('broken')
  const fail = () => {
    throw BROKEN
  }

  test('nor blamed on the request that is sent next', async () => {
    const { connection, handler, told, tellOfWrite } = connected({
      onFree: () => connection.send('the next', handler),
    })
    connection.send('a request', { ...handler, onComplete: fail })
    tellOfWrite()
    await settled()
    expect(() => connection.receive(ANSWER)).toThrow(BROKEN)
    tellOfWrite()
    await settled()
    connection.receive(ANSWER)
    expect(told).toEqual(['head 200', 'data', 'head 200', 'data', 'complete'])
  })

  test.each(['onHead', 'onData'])('out of %s', async (name) => {
    const { connection, handler } = connected()
    connection.send('a request', { ...handler, [name]: fail })
    expect(() => connection.receive(ANSWER)).toThrow(BROKEN)
  })
})

describe('a connection that stood for five minutes', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Sends one request each three seconds, so that it never lies idle for long. */
  async function sendFor(ms: number) {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { connection, handler, told, tellOfWrite } = connected()
    for (let sent = 0; sent <= ms; sent += 3_000) {
      told.length = 0
      connection.send('a request', handler)
      tellOfWrite()
      await settled()
      connection.receive(ANSWER)
      vi.advanceTimersByTime(3_000)
    }
    await settled()
    return { connection, told }
  }

  test('is closed with its next answer, though it was never idle for long', async () => {
    const { told } = await sendFor(300_000)
    expect(told).toEqual(['head 200', 'data', 'complete', 'closed'])
  })

  test('is free until then, and no longer', async () => {
    const { connection, told } = await sendFor(297_000)
    expect(told).toEqual(['head 200', 'data', 'free', 'complete'])
    expect(connection.usableUntil - connection.freeSince).toBe(3_000)
  })
})

test('what nobody asked for ends a free connection', async () => {
  const { connection, handler, told, tellOfWrite } = connected()
  connection.send('a request', handler)
  tellOfWrite()
  await new Promise((resolve) => setImmediate(resolve))
  connection.receive(ANSWER)
  connection.receive(Buffer.from('H'))
  await expect
    .poll(() => told, { timeout: TOLD_WITHIN_MS })
    .toEqual(['head 200', 'data', 'free', 'complete', 'closed'])
})
