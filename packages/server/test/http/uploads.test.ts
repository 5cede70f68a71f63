import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Arrivals } from '../../src/http/shared/bodies/arrivals.ts'
import { BodyBudget } from '../../src/http/shared/bodies/budget.ts'
import { Connections } from '../../src/http/shared/bodies/connections.ts'
import { ARRIVAL_LIMITS } from '../../src/http/shared/bodies/limits.ts'
import { ManualClock } from '../support/manualClock.ts'
import { Signal } from '../support/signal.ts'
import { contentEvent } from './events.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

const MIB = 1024 * 1024
const BUDGET_BYTES = 32 * MIB
const MAX_CONNECTIONS = 60

let service: TestService
let budget: BodyBudget
let connections: Connections
let ws: TestWorkspace
const refused: string[] = []
/** Fires when bodies or connections arrive, end or are rejected. */
const changed = new Signal()
const until = (condition: () => boolean) => changed.until(condition)

class SignalingBudget extends BodyBudget {
  override add(...params: Parameters<BodyBudget['add']>) {
    const problem = super.add(...params)
    changed.fire()
    return problem
  }

  override remove(...params: Parameters<BodyBudget['remove']>) {
    super.remove(...params)
    changed.fire()
  }
}

/** Only for slow bodies: they are slow when a test says so. */
const clock = new ManualClock()
beforeAll(async () => {
  const refuse = (reason: string) => {
    refused.push(reason)
    changed.fire()
  }
  const observer = {
    bodyRefused: refuse,
    connectionRefused: (reason: string) => refuse(`connection ${reason}`),
  }
  budget = new SignalingBudget(BUDGET_BYTES, observer)
  connections = new Connections(MAX_CONNECTIONS, [], observer)
  service = await startTestService(() => ({
    bodyBudget: budget,
    connections,
    arrivals: new Arrivals(clock, ARRIVAL_LIMITS),
  }))
  // The service has uncounted a connection before this listener sees its end.
  service.app.server.on('connection', (socket) => socket.once('close', () => changed.fire()))
  ws = await service.workspace('content')
})
afterAll(() => service.stop())

interface Upload {
  readonly socket: Socket
  /** Resolves with the whole answer when the connection ends. */
  readonly answer: Promise<string>
}

/** Announces more of a body than it sends. */
function stall({ key, slug }: TestWorkspace, announced: number | null, sent: number | string): Upload {
  const socket = connect(Number(new URL(service.base).port), '127.0.0.1')
  const length = announced === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`
  const body = typeof sent === 'string' ? sent : ' '.repeat(sent)
  socket.write(
    `POST /v1/workspaces/${slug}/events/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${length}\r\n\r\n${body}`,
  )
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  return { socket, answer: once(socket, 'close').then(() => Buffer.concat(chunks).toString()) }
}

const publish = (key = ws) =>
  service.call({
    method: 'POST',
    url: `/v1/workspaces/${key.slug}/events`,
    key: key.key,
    body: contentEvent(),
  })
const problemOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
const nothingReserved = () => until(() => budget.inUse === 0 && budget.owners === 0)

it('a stalled body is answered 408 and its connection closed, and its bytes are free again', async () => {
  const upload = stall(ws, 5_000_000, 1_000_000)
  await until(() => budget.inUse === 5_000_000)
  clock.advance(9_000)
  expect(budget.inUse).toBe(5_000_000)
  clock.advance(11_000)
  const answer = await upload.answer
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toMatch(/\r\nconnection: close\r\n/i)
  expect(problemOf(answer)).toMatchObject({
    code: 'request_timeout',
    detail: expect.stringContaining('4 KiB'),
  })
  expect(refused).toContain('slow')
  await nothingReserved()
})

it('a body that is too complex is counted, whether that shows while it arrives or once it is complete', async () => {
  const counted = () => refused.filter((reason) => reason === 'complex').length
  for (const body of ['['.repeat(100_000), `{"a":"${'日'.repeat(400_000)}"}`]) {
    const before = counted()
    const url = `/v1/workspaces/${ws.slug}/events/batch`
    const { status } = await service.call({ method: 'POST', url, key: ws.key, body })
    expect([status, counted() - before]).toEqual([413, 1])
  }
  await nothingReserved()
})

it('a body without any data is answered 408 too', async () => {
  const upload = stall(ws, 10, 0)
  await until(() => budget.inUse === 10)
  clock.advance(20_000)
  expect(await upload.answer).toMatch(/^HTTP\/1\.1 408 /)
  await nothingReserved()
})

it('all uploads of a key use at most its share, and others publish', async () => {
  const other = await service.workspace('content')
  const before = refused.length
  const uploads = Array.from({ length: 20 }, () => stall(ws, 5_000_000, 4_000))
  // Each is rejected or has its bytes reserved; 8 MiB are a quarter of the budget.
  await until(() => refused.slice(before).filter((reason) => reason === 'share').length === 19)
  expect(budget.inUse).toBe(5_000_000)
  expect((await publish(other)).status).toBe(202)
  // One event fits into the rest.
  expect((await publish()).status).toBe(202)
  for (const { socket } of uploads) socket.destroy()
  await nothingReserved()
})

it('a body beyond the share of its key is answered 429 with Retry-After, and says whose share it is', async () => {
  const first = stall(ws, 5_000_000, 1)
  await until(() => budget.inUse === 5_000_000)
  const { status, json, headers } = await service.call({
    method: 'POST',
    url: `/v1/workspaces/${ws.slug}/events/batch`,
    key: ws.key,
    body: ' '.repeat(4_000_000),
  })
  expect([status, json.code, headers['retry-after']]).toEqual([429, 'too_many_uploads', '1'])
  expect(json.detail).toContain('This API key can have at most 8 MiB')
  first.socket.destroy()
  await nothingReserved()
})

it('the keys of one workspace together use at most half of the node', async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => service.key(ws.id)))
  const uploads = keys.slice(0, 3).map(({ key }) => stall({ ...ws, key }, 5_000_000, 1))
  await until(() => budget.inUse === 15_000_000)
  const { status, json } = await service.call({
    method: 'POST',
    url: `/v1/workspaces/${ws.slug}/events/batch`,
    key: keys[3]!.key,
    body: ' '.repeat(5_000_000),
  })
  expect([status, json.code]).toEqual([429, 'too_many_uploads'])
  expect(json.detail).toContain('This workspace can have at most 16 MiB')
  for (const { socket } of uploads) socket.destroy()
  await nothingReserved()
})

it('a node without budget answers 503 with Retry-After to batches, and still accepts single events', async () => {
  const owners = await Promise.all(Array.from({ length: 6 }, async () => service.workspace('content')))
  const uploads = owners.slice(0, 5).map((owner) => stall(owner, 5_240_000, 1))
  await until(() => budget.inUse === 5 * 5_240_000)
  const { status, json, headers } = await service.call({
    method: 'POST',
    url: `/v1/workspaces/${owners[5]!.slug}/events/batch`,
    key: owners[5]!.key,
    body: ' '.repeat(5_000_000),
  })
  expect([status, json.code, headers['retry-after']]).toEqual([503, 'uploads_full', '1'])
  expect((await publish(owners[5])).status).toBe(202)
  for (const { socket } of uploads) socket.destroy()
  await nothingReserved()
})

it('a body without a content length counts by its received bytes, with the same limit', async () => {
  const chunk = `186a0\r\n${' '.repeat(100_000)}\r\n`
  const upload = stall(ws, null, chunk)
  await until(() => budget.inUse === 128 * 1024)
  upload.socket.write(chunk.repeat(60))
  await until(() => budget.inUse === 0)
  upload.socket.end('0\r\n\r\n')
  const answer = await upload.answer
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})

it('without a credential no body is read', async () => {
  const socket = stall({ ...ws, key: 'phk_wrong' }, 5_000_000, 1_000)
  await once(socket.socket, 'data')
  expect(budget.inUse).toBe(0)
  socket.socket.destroy()
  expect(await socket.answer).toMatch(/^HTTP\/1\.1 401 /)
})

it('an unauthenticated client has a very small share', async () => {
  const { status, json } = await service.call({
    method: 'POST',
    url: '/console/v1/sign-in-links',
    body: ' '.repeat(60_000),
  })
  expect([status, json.code]).toEqual([400, 'malformed_json'])
  const head = 'POST /console/v1/sign-in-links HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const sockets = Array.from({ length: 10 }, () => {
    const socket = connect(Number(new URL(service.base).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`${head}Content-Length: 60000\r\n\r\n `)
    return socket
  })
  const before = refused.length
  await until(() => refused.slice(before).includes('share'))
  expect(budget.inUse).toBeLessThanOrEqual(BUDGET_BYTES / 64)
  for (const socket of sockets) socket.destroy()
  await nothingReserved()
})

it('a client that disconnects in the middle leaves nothing reserved', async () => {
  const upload = stall(ws, 5_000_000, 100_000)
  await until(() => budget.inUse > 0)
  upload.socket.destroy()
  await nothingReserved()
})

it("connections of one address beyond half of the node's limit are closed at once", async () => {
  const port = Number(new URL(service.base).port)
  const before = connections.open
  const sockets = Array.from({ length: MAX_CONNECTIONS }, () => connect(port, '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => {}).once('close', () => changed.fire())
  await until(() => sockets.filter((socket) => socket.closed).length >= MAX_CONNECTIONS / 2)
  expect(connections.open).toBeLessThanOrEqual(MAX_CONNECTIONS / 2)
  expect(refused).toContain('connection address')
  for (const socket of sockets) socket.destroy()
  await until(() => connections.open <= before)
  expect((await publish()).status).toBe(202)
})

it.each([
  ['a head', 'POST / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  ['a body', 'POST /console/v1/sign-in-links HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
])(
  '%s that takes longer than 30 s is answered 408, a second later at most',
  async (_, text) => {
    const { server } = service.app
    expect([server.headersTimeout, server.requestTimeout]).toEqual([30_000, 30_000])
    // Node checks more often. With its default interval, this test would take 30 s.
    server.headersTimeout = 50
    server.requestTimeout = 50
    const socket = connect(Number(new URL(service.base).port), '127.0.0.1')
    socket.write(text)
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk
    })
    await once(socket, 'close')
    server.headersTimeout = 30_000
    server.requestTimeout = 30_000
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(problemOf(answer)).toMatchObject({ status: 408, code: 'request_timeout' })
  },
  20_000,
)
