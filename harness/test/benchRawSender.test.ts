import { readFileSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo, type Server } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { HOSTILE_BODIES } from '../src/bench/attacks/bodies.ts'
import { BandwidthLimit } from '../src/bench/raw/bandwidthLimit.ts'
import { rawRequest } from '../src/bench/raw/rawRequest.ts'
import type { RawSenderStart } from '../src/bench/raw/rawSender.ts'
import { RawSender } from '../src/bench/raw/sender.ts'
import { onStage, type Stage } from '../src/bench/stage/stage.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'

let dataParent: string
beforeEach(() => {
  dataParent = makeDirectory()
})
afterEach(() => removeDirectory(dataParent))

/** @returns the URL */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const requestTo = (url: string, name: string, body: string, unsentBytes = 0) =>
  rawRequest({ url, path: `/${name}`, key: 'phk_1' }, name, body, unsentBytes)

const onSmallStage = <T>(use: (stage: Stage) => Promise<T>) =>
  onStage({ store: 'sqlite', tls: false, dataParent }, use)

const startOf = (url: string, changes: Partial<RawSenderStart>): RawSenderStart => ({
  port: Number(new URL(url).port),
  requests: [requestTo(url, 'one', '{}')],
  connections: 1,
  perSecond: null,
  maxRequests: 1,
  maxSeconds: 60,
  endWithinMs: 20_000,
  bytesPerSecond: 1e9,
  reconnectMs: 1,
  idsFile: null,
  ...changes,
})

/** Resolves with each request's head and body, after this many requests. */
function takes(requests: number, answer: (url: string, response: http.ServerResponse) => void) {
  const seen: string[] = []
  let enough = () => {}
  const all = new Promise<string[]>((resolve) => {
    enough = () => resolve(seen)
  })
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push(`${request.url} ${request.headers.authorization} ${Buffer.concat(chunks).length}`)
      answer(request.url!, response)
      if (seen.length === requests) enough()
    })
  })
  return { server, all }
}

test('requests are sent in turn, counted by answer, and the ids of accepted events are recorded', async () => {
  const { server, all } = takes(4, (url, response) => {
    const body = url === '/good' ? '{"events":[{"id":"a"},{"id":"b"}]}' : '{}'
    response.writeHead(url === '/good' ? 202 : 422, { 'content-length': body.length }).end(body)
  })
  const url = await listening(server)
  await onSmallStage(async (stage) => {
    const idsFile = stage.file('ids')
    const sender = await RawSender.start(
      stage,
      startOf(url, {
        requests: [requestTo(url, 'good', 'x'.repeat(200_000)), requestTo(url, 'bad', '[')],
        maxRequests: 4,
        idsFile,
      }),
    )
    const [first, second] = await all
    expect([first, second]).toEqual(['/good Bearer phk_1 200000', '/bad Bearer phk_1 1'])
    expect(await sender.finish()).toMatchObject({
      answers: { good: { 202: 2 }, bad: { 422: 2 } },
      accepted: 4,
      unsent: 0,
      open: 0,
      times: { 202: { count: 2 }, 422: { count: 2 } },
    })
    expect(readFileSync(idsFile, 'utf8')).toBe('a\nb\na\nb\n')
  })
})

test('a request answered before it was sent completely is aborted, and the next one has a new connection', async () => {
  let connections = 0
  let twice = () => {}
  const seen = new Promise<void>((resolve) => {
    twice = resolve
  })
  const url = await listening(
    net.createServer((socket) => {
      connections += 1
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\n{}')
        // Stops reading: the rest stays with the sender.
        socket.pause()
        if (connections === 2) twice()
      })
    }),
  )
  await onSmallStage(async (stage) => {
    const requests = [requestTo(url, 'large', 'x'.repeat(50_000_000))]
    const sender = await RawSender.start(stage, startOf(url, { requests, maxRequests: 2 }))
    await seen
    expect(await sender.finish()).toMatchObject({ answers: { large: { 429: 2 } }, open: 0 })
  })
})

test('an upload that stalls is counted when it is closed', async () => {
  const received: number[] = []
  let closed = () => {}
  const both = new Promise<void>((resolve) => {
    closed = resolve
  })
  const url = await listening(
    net.createServer((socket) => {
      let bytes = 0
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        bytes += chunk.length
        if (bytes < 900_000) return
        received.push(bytes)
        if (received.length === 1) socket.destroy()
        else socket.end('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n')
        if (received.length === 2) closed()
      })
    }),
  )
  await onSmallStage(async (stage) => {
    const requests = [requestTo(url, 'upload', 'x'.repeat(1_000_000), 100_000)]
    const sender = await RawSender.start(stage, startOf(url, { requests, maxRequests: 2 }))
    await both
    expect(await sender.finish()).toMatchObject({ answers: { upload: { closed: 1, 408: 1 } }, open: 0 })
  })
})

test('at a fixed rate, a request without a free connection is dropped, and one without an answer at the end counts as open', async () => {
  let arrived = 0
  let enough = () => {}
  const two = new Promise<void>((resolve) => {
    enough = resolve
  })
  const url = await listening(
    net.createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        arrived += 1
        if (arrived === 2) enough()
      })
    }),
  )
  await onSmallStage(async (stage) => {
    const changes = { connections: 2, perSecond: 1_000, maxRequests: 20, endWithinMs: 100 }
    const sender = await RawSender.start(stage, startOf(url, changes))
    await two
    const { answers, unsent, open } = await sender.finish()
    expect({ answers, open, arrived }).toEqual({ answers: {}, open: 2, arrived: 2 })
    expect(unsent).toBeLessThanOrEqual(18)
  })
})

test('a bandwidth limit is never exceeded, however many share it', async () => {
  const bandwidth = new BandwidthLimit(100_000)
  const startedAt = performance.now()
  await Promise.all([1, 2, 3].map(() => bandwidth.take(5_000)))
  // The third begins when the first two have passed; timers may be a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(98)
})

test.each(HOSTILE_BODIES.map((body) => [body.name, body] as const))(
  'the hostile body %s is large, but not larger than a batch may be',
  (_name, { make }) => {
    const event = { type: 'version.approved', data: { title: 'x' }, actor_id: 'usr_1' }
    const bytes = Buffer.byteLength(make(event))
    expect(bytes).toBeGreaterThan(2_000_000)
    expect(bytes).toBeLessThanOrEqual(5 * 1024 * 1024)
  },
)
