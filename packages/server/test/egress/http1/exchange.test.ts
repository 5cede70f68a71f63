import type { Socket } from 'node:net'
import fc from 'fast-check'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseEgressRules } from '../../../src/core/targets/index.ts'
import { createEgressAgent, type EgressAgent } from '../../../src/engine/egress/index.ts'
import { type LoopbackServer, post, serveTcp } from '../loopback.ts'

/** A server's answer to one request, and where it is split into writes. */
interface Script {
  readonly bytes: Buffer
  readonly cuts: readonly number[]
  /** Whether it then closes the connection. */
  readonly closes: boolean
}

interface Seen {
  readonly status: number
  readonly body: string
}

let server: LoopbackServer
let script: Script
let requests = 0

beforeAll(async () => {
  server = await serveTcp((socket) => {
    socket.setNoDelay(true)
    let seen = ''
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
      if (!seen.endsWith('{}')) return
      seen = ''
      requests += 1
      void say(socket, script)
    })
  })
})

afterAll(() => server.close())

async function say(socket: Socket, { bytes, cuts, closes }: Script): Promise<void> {
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b)
  let from = 0
  for (const end of [...ends, bytes.length]) {
    if (end > from)
      await new Promise<void>((resolve) => socket.write(bytes.subarray(from, end), () => resolve()))
    // The peer reads it in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    from = end
  }
  if (closes) socket.end()
}

const url = () => `http://127.0.0.1:${server.port}/hook`

async function asWeRead(agent: EgressAgent): Promise<Seen> {
  const { status, body } = await post(agent, url())
  return { status, body: body.toString('latin1') }
}

async function asUndiciReads(): Promise<Seen> {
  const client = new Client(`http://127.0.0.1:${server.port}`)
  try {
    const { statusCode, body } = await client.request({ path: '/hook', method: 'POST', body: '{}' })
    return { status: statusCode, body: Buffer.from(await body.arrayBuffer()).toString('latin1') }
  } finally {
    await client.destroy()
  }
}

const newAgent = () =>
  createEgressAgent({
    rules: parseEgressRules({ allow: '127.0.0.1/32' }),
    connectTimeoutMs: 20_000,
    maxConnectionsPerDestination: 10,
  })

const cutting = fc.array(fc.nat(), { maxLength: 6 })
const status = fc.constantFrom(200, 201, 202, 204, 301, 304, 400, 410, 429, 500, 503)
const reason = fc.constantFrom('', ' ', ' OK', ' Not \xe9')
const extra = fc.uniqueArray(
  fc.constantFrom('Date: now', 'X-A:b', 'Server:  odd', 'Keep-Alive: timeout=5', 'Link: </a>; rel=b'),
)
const body = fc.uint8Array({ maxLength: 1_500 }).map((bytes) => Buffer.from(bytes))

/** Valid responses, each in one of the possible framings. */
const whole = fc
  .record({
    status,
    reason,
    extra,
    body,
    framing: fc.constantFrom('length', 'chunked', 'close'),
    cuts: cutting,
  })
  .map(({ status, reason, extra, body, framing, cuts }): Script => {
    const bodyless = status === 204 || status === 304
    const framed = framing === 'close' ? ['Connection: close'] : [framingHeader(framing, body)]
    const lines = [`HTTP/1.1 ${status}${reason}`, ...extra, ...(bodyless ? [] : framed), '', '']
    const sent = bodyless ? Buffer.alloc(0) : framing === 'chunked' ? inChunks(body) : body
    const closes = framing === 'close' && !bodyless
    return { bytes: Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), sent]), cuts, closes }
  })

function framingHeader(framing: string, body: Buffer): string {
  return framing === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
}

function inChunks(body: Buffer): Buffer {
  const half = body.length >> 1
  const parts = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0)
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}

describe('responses are read as undici reads them,', () => {
  test('however they are framed and split, one after the other on a connection', async () => {
    const agent = newAgent()
    await fc.assert(
      fc.asyncProperty(whole, async (sent) => {
        script = sent
        const expected = await asUndiciReads()
        expect(await asWeRead(agent)).toEqual(expected)
        expect(await asWeRead(agent)).toEqual(expected)
      }),
      { numRuns: 150 },
    )
    await agent.destroy()
  })

  test('or rejected, when a byte of their head is changed', async () => {
    const outcomes = { same: 0, refusedByBoth: 0, refusedByUsAlone: 0 }
    const broken = fc.tuple(whole, fc.nat(), fc.integer({ min: 0, max: 255 }))
    await fc.assert(
      fc.asyncProperty(broken, async ([{ bytes }, at, byte]) => {
        const damaged = Buffer.from(bytes)
        damaged[at % bytes.indexOf('\r\n\r\n')] = byte
        // Folded lines are read here, as required, and rejected there.
        fc.pre(!/\r\n[\t ]/.test(damaged.toString('latin1')))
        // It closes, so that a reader that waits for more data sees the end.
        script = { bytes: damaged, cuts: [], closes: true }
        const agent = newAgent()
        const ours = await asWeRead(agent).catch(() => null)
        await agent.destroy()
        const theirs = await asUndiciReads().catch(() => null)
        if (ours === null) outcomes[theirs === null ? 'refusedByBoth' : 'refusedByUsAlone'] += 1
        else {
          // What undici rejects must not pass for a response here. A body after a status that has none is an
          // answer followed by garbage: which of the two undici reports depends on what it reads first.
          const followedByNonsense = theirs === null && [204, 304].includes(ours.status)
          if (!followedByNonsense) expect(ours).toEqual(theirs)
          outcomes.same += 1
        }
      }),
      { numRuns: 300 },
    )
    process.stdout.write(`damaged heads: ${JSON.stringify(outcomes)}\n`)
    expect(outcomes.same).toBeGreaterThan(0)
    expect(outcomes.refusedByBoth).toBeGreaterThan(0)
  })
})

test('a connection carries one request after the other', async () => {
  const agent = newAgent()
  const connected = server.connections.length
  script = {
    bytes: Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    cuts: [5, 20, 38],
    closes: false,
  }
  const before = requests
  for (let i = 0; i < 20; i++) expect(await asWeRead(agent)).toEqual({ status: 200, body: 'ok' })
  expect([requests - before, server.connections.length - connected]).toEqual([20, 1])
  await agent.destroy()
})
