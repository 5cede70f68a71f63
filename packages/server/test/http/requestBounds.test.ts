import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Connections } from '../../src/http/shared/bodies/connections.ts'
import { contentEvent } from './events.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let ws: TestWorkspace
const closed: string[] = []
beforeAll(async () => {
  const observer = { bodyRefused: () => {}, connectionRefused: (reason: string) => closed.push(reason) }
  service = await startTestService(() => ({ connections: new Connections(100, [], observer) }))
  ws = await service.workspace('content')
})
afterAll(() => service.stop())
beforeEach(() => void closed.splice(0))

const HOST = 'Host: posthorn.example\r\n'
const healthz = (more = '') => `GET /healthz HTTP/1.1\r\n${HOST}${more}\r\n`

const publish = (key: string, body: string, more = 'Connection: close\r\n') =>
  `POST /v1/workspaces/${ws.slug}/events HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${more}\r\n${body}`

const chunked = (text: string, size: number) => {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += size) {
    const chunk = text.slice(at, at + size)
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  }
  return `${chunks.join('')}0\r\n\r\n`
}

/** Sends texts one after the other, each after an answer to the previous one. @returns all answers */
async function talk(...texts: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(service.base).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  // A write while the service closes the connection fails.
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  for (const [position, text] of texts.entries()) {
    if (position > 0) await Promise.race([once(socket, 'data'), ended])
    socket.write(text)
  }
  await ended
  return answer
}

const answers = (text: string, status: number) => text.split(`HTTP/1.1 ${status} `).length - 1

test('sixteen concurrent requests are answered in order, and again as many', async () => {
  const answer = await talk(healthz().repeat(16), healthz().repeat(15) + healthz('Connection: close\r\n'))
  expect(answers(answer, 200)).toBe(32)
  expect(closed).toEqual([])
})

test('thousands of concurrent requests end the connection', async () => {
  const answer = await talk(healthz().repeat(2_000))
  expect(answers(answer, 200)).toBeLessThanOrEqual(16)
  expect(closed).toEqual(['pipelined'])
})

test('a chunked body is accepted, in a few small chunks and in many of ordinary size', async () => {
  const body = JSON.stringify(contentEvent())
  expect(answers(await talk(publish(ws.key, chunked(body, 1))), 202)).toBe(1)
  const padded = body + ' '.repeat(200_000)
  expect(answers(await talk(publish(ws.key, chunked(padded, 100))), 202)).toBe(1)
  expect(closed).toEqual([])
})

test('a body in thousands of tiny chunks is rejected, and ends the connection', async () => {
  const answer = await talk(publish(ws.key, chunked(' '.repeat(60_000), 1)))
  expect(answers(answer, 400)).toBe(1)
  expect(answer).toContain('send fewer and larger ones')
  expect(closed).toEqual(['chunks'])
})

test('it also ends the connection with a wrong key', async () => {
  const answer = await talk(publish('phk_wrong', chunked(' '.repeat(60_000), 1)))
  expect(answers(answer, 400) + answers(answer, 401)).toBe(1)
})

test('such a body also ends the connection when its request was already answered', async () => {
  const answer = await talk(publish('phk_wrong', '1\r\n \r\n', ''), chunked(' '.repeat(60_000), 1))
  expect(answers(answer, 401)).toBe(1)
  expect(closed).toEqual(['chunks'])
})

test('a request for another protocol is answered, and the connection closed', async () => {
  const upgrade = healthz('Connection: Upgrade\r\nUpgrade: h2c\r\n')
  const answer = await talk(upgrade + healthz())
  expect(answers(answer, 200)).toBe(1)
  expect(answer.toLowerCase()).toContain('connection: close')
})
