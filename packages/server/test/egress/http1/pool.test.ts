import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { IdleConnections, type IdleLimits } from '../../../src/engine/egress/http1/idleConnections.ts'
import { Pool } from '../../../src/engine/egress/http1/pool.ts'
import type { ResponseHandler } from '../../../src/engine/egress/http1/responseHandler.ts'
import { settled } from '../../engine/fakes.ts'

const OK = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')

/** A pool whose connections open at once and end when the test says so. */
function pooling(maxConnections = 10, limits: Partial<IdleLimits> = {}) {
  const peers: Peer[] = []
  const reported: string[] = []
  const idle = new IdleConnections(limits)
  const pool = new Pool({
    connect: (onData, callback) => {
      const peer = new Peer(onData)
      peers.push(peer)
      queueMicrotask(() => callback(null, peer.socket))
      return { phase: 'connect', address: null }
    },
    maxConnections,
    idle,
    workspaceId: 1,
    origin: 'https://hooks.example.com',
  })
  const ended = new Set<string>()
  const handler = (name: string): ResponseHandler => ({
    get ended() {
      return ended.has(name)
    },
    onConnecting: () => {},
    onConnect: () => {},
    onHead: () => {},
    onData: () => {},
    onComplete: () => reported.push(`${name} complete`),
    onError: ({ message }) => reported.push(`${name} ${message}`),
  })
  return {
    pool,
    idle,
    peers,
    reported,
    end: (name: string) => void ended.add(name),
    dispatch: (name: string) => pool.dispatch({ text: name, handler: handler(name) }),
  }
}

/** The other end of one connection. */
class Peer {
  /** Requests that were written. */
  readonly requests: string[] = []
  readonly #onData: (bytes: Buffer) => void
  readonly #stream = new Duplex({
    read() {},
    write: (chunk, _encoding, callback) => {
      this.requests.push(String(chunk))
      callback()
    },
  })

  constructor(onData: (bytes: Buffer) => void) {
    this.#onData = onData
    // Reads the bytes like a socket, without further effect.
    this.#stream.resume()
  }

  get socket(): Socket {
    return this.#stream as unknown as Socket
  }

  async answer(): Promise<void> {
    // The write completes a tick later.
    await Promise.resolve()
    this.#onData(OK)
  }

  say(bytes: Buffer): void {
    this.#onData(bytes)
  }

  close(): void {
    this.#stream.push(null)
  }
}

describe('a free connection', () => {
  test('is used at once, after one turn of the event loop has shown that it survives its answer', async () => {
    const { pool, peers, dispatch } = pooling()
    dispatch('first')
    await settled()
    await peers[0]!.answer()
    dispatch('second')
    expect(peers[0]!.requests).toEqual(['first'])
    await settled()
    expect(peers[0]!.requests).toEqual(['first', 'second'])
    await peers[0]!.answer()
    dispatch('third')
    expect(peers[0]!.requests).toEqual(['first', 'second', 'third'])
    expect([peers.length, pool.empty]).toEqual([1, false])
  })

  test('is watched again after one was closed that had just become free', async () => {
    const { peers, reported, dispatch } = pooling()
    for (const name of ['first', 'second']) {
      dispatch(name)
      await settled()
      await peers[0]!.answer()
    }
    peers[0]!.close()
    await settled()
    dispatch('third')
    await settled()
    await peers[1]!.answer()
    dispatch('fourth')
    peers[1]!.close()
    expect(peers[1]!.requests).toEqual(['third'])
    await settled()
    expect([peers.length, peers[2]!.requests]).toEqual([3, ['fourth']])
    expect(reported).toEqual(['first complete', 'second complete', 'third complete'])
  })

  test('is watched again after one was closed instead of an answer, and its request is repeated', async () => {
    const { peers, reported, dispatch } = pooling()
    for (const name of ['first', 'second']) {
      dispatch(name)
      await settled()
      await peers[0]!.answer()
    }
    dispatch('third')
    peers[0]!.close()
    await settled()
    expect([peers[0]!.requests.at(-1), peers[1]!.requests]).toEqual(['third', ['third']])
    await peers[1]!.answer()
    expect(reported.at(-1)).toBe('third complete')
    dispatch('fourth')
    peers[1]!.close()
    await settled()
    expect([peers[1]!.requests, peers[2]!.requests]).toEqual([['third'], ['fourth']])
  })

  test('waiting for that turn keeps its pool from being empty', async () => {
    const { pool, peers, dispatch } = pooling()
    dispatch('first')
    await settled()
    await peers[0]!.answer()
    dispatch('second')
    peers[0]!.close()
    await new Promise((resolve) => peers[0]!.socket.once('close', resolve))
    expect(pool.empty).toBe(false)
    await settled()
    expect(peers[1]!.requests).toEqual(['second'])
  })
})

describe('a request that ended', () => {
  test('while it waited is not sent, and the connection goes to the next', async () => {
    const { peers, reported, end, dispatch } = pooling(1)
    for (const name of ['first', 'second', 'third', 'fourth']) dispatch(name)
    await settled()
    end('second')
    end('third')
    await peers[0]!.answer()
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['first', 'fourth']])
    expect(reported).toEqual(['first complete'])
  })

  test('while its connection was opened leaves that to others', async () => {
    const { peers, end, dispatch } = pooling(1)
    dispatch('first')
    dispatch('second')
    end('first')
    await settled()
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['second']])
  })

  test('while no other waited leaves its connection to the next request', async () => {
    const { peers, end, dispatch } = pooling()
    dispatch('first')
    end('first')
    await settled()
    dispatch('second')
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['second']])
  })

  test('while its connection was watched leaves that to others', async () => {
    const { peers, end, dispatch } = pooling()
    dispatch('first')
    await settled()
    await peers[0]!.answer()
    dispatch('second')
    end('second')
    await settled()
    dispatch('third')
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['first', 'third']])
  })
})

describe('a request that was lost on a reused connection', () => {
  /** Writes a second request and closes its connection. */
  async function losing(maxConnections?: number) {
    const made = pooling(maxConnections)
    for (const name of ['first', 'second']) {
      made.dispatch(name)
      await settled()
      await made.peers[0]!.answer()
    }
    made.dispatch('third')
    return made
  }

  test('is repeated only once: another connection that closes fails it', async () => {
    const { peers, reported } = await losing()
    peers[0]!.close()
    await settled()
    peers[1]!.close()
    await settled()
    expect(peers.map(({ requests }) => requests.at(-1))).toEqual(['third', 'third'])
    expect(reported.slice(2)).toEqual([expect.stringMatching(/^third The connection was closed before/)])
  })

  test('is sent before waiting ones, within the connection limit', async () => {
    const { peers, dispatch } = await losing(1)
    dispatch('fourth')
    peers[0]!.close()
    await settled()
    expect(peers.map(({ requests }) => requests.at(-1))).toEqual(['third', 'third'])
    await peers[1]!.answer()
    await settled()
    expect(peers.map(({ requests }) => requests.at(-1))).toEqual(['third', 'fourth'])
  })

  test('is not repeated after its timeout', async () => {
    const { peers, reported, end } = await losing()
    end('third')
    peers[0]!.close()
    await settled()
    expect([peers.length, reported.length]).toEqual([1, 2])
  })
})

describe('a receiver that sends unsolicited data', () => {
  const LATE = Buffer.from('HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n')

  test('gets a connection for each request, until a minute has passed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { pool, peers, reported, dispatch } = pooling()
    dispatch('first')
    await settled()
    await peers[0]!.answer()
    peers[0]!.say(LATE)
    for (const name of ['second', 'third']) {
      await settled()
      dispatch(name)
      await settled()
      await peers.at(-1)!.answer()
    }
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['first'], ['second'], ['third']])
    expect(reported).toEqual(['first complete', 'second complete', 'third complete'])
    // The pool would forget it if it were dropped.
    expect(pool.sweep(performance.now())).toBe(false)
    vi.advanceTimersByTime(60_000)
    for (const name of ['fourth', 'fifth']) {
      dispatch(name)
      await settled()
      await peers.at(-1)!.answer()
    }
    expect(peers.slice(3).map(({ requests }) => requests)).toEqual([['fourth', 'fifth']])
    peers.at(-1)!.close()
    await settled()
    expect(pool.sweep(performance.now())).toBe(true)
  })

  test('loses all its idle connections', async () => {
    const { peers, dispatch, idle } = pooling()
    for (const name of ['first', 'second']) dispatch(name)
    await settled()
    for (const peer of peers) await peer.answer()
    expect(idle.size).toBe(2)
    peers[0]!.say(LATE)
    await settled()
    expect([idle.size, ...peers.map(({ socket }) => socket.destroyed)]).toEqual([0, true, true])
  })
})

test('a pool counts its idle connections, and only those', async () => {
  const { peers, dispatch, idle } = pooling()
  dispatch('first')
  await settled()
  expect(idle.size).toBe(0)
  await peers[0]!.answer()
  expect(idle.size).toBe(1)
  dispatch('second')
  expect(idle.size).toBe(0)
  await settled()
  await peers[0]!.answer()
  peers[0]!.close()
  await settled()
  expect(idle.size).toBe(0)
})

test('a connection closed by the idle limit says nothing about its receiver', async () => {
  const { peers, dispatch } = pooling(10, { node: 1 })
  for (const name of ['first', 'second']) dispatch(name)
  await settled()
  for (const peer of peers) await peer.answer()
  await settled()
  expect(peers.map(({ socket }) => socket.destroyed)).toEqual([true, false])
  // The first reuse is always watched.
  dispatch('third')
  await settled()
  await peers[1]!.answer()
  dispatch('fourth')
  expect(peers[1]!.requests).toEqual(['second', 'third', 'fourth'])
})
