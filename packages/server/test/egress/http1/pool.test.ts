import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Pool } from '../../../src/engine/egress/http1/pool.ts'
import type { ResponseHandler } from '../../../src/engine/egress/http1/responseHandler.ts'
import { settled } from '../../engine/fakes.ts'

const OK = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')

/** A pool whose connections stand at once and end in the test's hands. */
function pooling(maxConnections = 10) {
  const peers: Peer[] = []
  const told: string[] = []
  const pool = new Pool((onData, callback) => {
    const peer = new Peer(onData)
    peers.push(peer)
    queueMicrotask(() => callback(null, peer.socket))
    return () => 'connect'
  }, maxConnections)
  const ended = new Set<string>()
  const handler = (name: string): ResponseHandler => ({
    get ended() {
      return ended.has(name)
    },
    onConnecting: () => {},
    onConnect: () => {},
    onHead: () => {},
    onData: () => {},
    onComplete: () => told.push(`${name} complete`),
    onError: ({ message }) => told.push(`${name} ${message}`),
  })
  return {
    pool,
    peers,
    told,
    end: (name: string) => void ended.add(name),
    dispatch: (name: string) => pool.dispatch(name, handler(name)),
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
    // As a socket's bytes are read: nothing else comes of them.
    this.#stream.resume()
  }

  get socket(): Socket {
    return this.#stream as unknown as Socket
  }

  async answer(): Promise<void> {
    // The write is over a tick after it.
    await Promise.resolve()
    this.#onData(OK)
  }

  close(): void {
    this.#stream.push(null)
  }
}

describe('a free connection', () => {
  test('is used at once, after a turn of the event loop has shown once that it outlasts its answer', async () => {
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
    const { peers, told, dispatch } = pooling()
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
    expect(told).toEqual(['first complete', 'second complete', 'third complete'])
  })

  test('is watched again after one was closed instead of an answer', async () => {
    const { peers, told, dispatch } = pooling()
    for (const name of ['first', 'second']) {
      dispatch(name)
      await settled()
      await peers[0]!.answer()
    }
    dispatch('third')
    peers[0]!.close()
    await settled()
    expect(told.at(-1)).toMatch(/^third The connection was closed before a response came/)
    dispatch('fourth')
    await settled()
    await peers[1]!.answer()
    dispatch('fifth')
    peers[1]!.close()
    await settled()
    expect([peers[1]!.requests, peers[2]!.requests]).toEqual([['fourth'], ['fifth']])
  })

  test('that waits for that turn keeps its pool from being empty', async () => {
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
  test('as it waited is not sent, and the connection goes to the next', async () => {
    const { peers, told, end, dispatch } = pooling(1)
    for (const name of ['first', 'second', 'third', 'fourth']) dispatch(name)
    await settled()
    end('second')
    end('third')
    await peers[0]!.answer()
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['first', 'fourth']])
    expect(told).toEqual(['first complete'])
  })

  test('as its connection was made leaves that to others', async () => {
    const { peers, end, dispatch } = pooling(1)
    dispatch('first')
    dispatch('second')
    end('first')
    await settled()
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['second']])
  })

  test('as nobody else waited leaves its connection to whoever comes', async () => {
    const { peers, end, dispatch } = pooling()
    dispatch('first')
    end('first')
    await settled()
    dispatch('second')
    await settled()
    expect(peers.map(({ requests }) => requests)).toEqual([['second']])
  })

  test('as its connection was watched leaves that to others', async () => {
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
