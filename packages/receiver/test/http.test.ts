import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  bytesOf,
  CONTENT_EVENT,
  expectRefused,
  MESSAGE_ID,
  standardHeaders,
  standardReceiver,
  untyped,
} from './support.ts'

const body = JSON.stringify(CONTENT_EVENT)

function post(init: { body?: unknown; headers?: Record<string, string> } = {}): Request {
  const request = { method: 'POST', headers: standardHeaders(body), body, duplex: 'half', ...init }
  return new Request('https://receiver.example.com/hooks', untyped<RequestInit>(request))
}

function streamOf(chunks: readonly unknown[], onCancel: () => void = () => undefined): ReadableStream {
  const rest = [...chunks]
  return new ReadableStream({
    pull(controller) {
      if (rest.length === 0) controller.close()
      else controller.enqueue(rest.shift())
    },
    cancel: onCancel,
  })
}

describe('a fetch Request', () => {
  test('is verified', async () => {
    expect((await standardReceiver().verifyRequest(post())).event).toEqual(CONTENT_EVENT)
  })

  test('is verified when its body comes in pieces', async () => {
    const bytes = bytesOf(body)
    const pieces = streamOf([bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1)])
    expect((await standardReceiver().verifyRequest(post({ body: pieces }))).id).toBe(MESSAGE_ID)
  })

  test('without a body has the empty body', async () => {
    const request = post({ body: null, headers: standardHeaders('') })
    await expectRefused(standardReceiver().verifyRequest(request), 'body_not_json')
  })

  test('whose body was read already is refused with that reason', async () => {
    const request = post()
    await request.text()
    await expectRefused(standardReceiver().verifyRequest(request), 'body_unreadable')
  })

  test('whose body is being read by someone else is refused with that reason', async () => {
    const request = post()
    request.body?.getReader()
    await expectRefused(standardReceiver().verifyRequest(request), 'body_unreadable')
  })

  test('whose body was read and let go is refused with that reason, not as a forgery', async () => {
    const request = post()
    const reader = request.body!.getReader()
    while (!(await reader.read()).done);
    reader.releaseLock()
    await expectRefused(standardReceiver().verifyRequest(request), 'body_unreadable')
  })

  test('whose body breaks off is refused with that reason', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    await expectRefused(standardReceiver().verifyRequest(post({ body: broken })), 'body_unreadable')
  })

  test('is refused and no longer read once its body passes the limit', async () => {
    let canceled = false
    const chunk = new Uint8Array(1000)
    const endless = streamOf(Array(1000).fill(chunk), () => {
      canceled = true
    })
    const outcome = standardReceiver({ maxBodyBytes: 1500 }).verifyRequest(post({ body: endless }))
    await expectRefused(outcome, 'body_too_large')
    expect(canceled).toBe(true)
  })

  test('with bad headers is refused before its body is read', async () => {
    const request = post({ headers: { ...standardHeaders(body), 'webhook-signature': 'v1,' } })
    await expectRefused(standardReceiver().verifyRequest(request), 'signature_malformed')
    expect(request.bodyUsed).toBe(false)
  })
})

describe('a request to node:http', () => {
  interface Received {
    rawBody: Buffer
    headers: IncomingHttpHeaders
    headersDistinct: NodeJS.Dict<string[]>
  }

  let address = ''
  let received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { headers, headersDistinct } = request
    received.push({ rawBody: Buffer.concat(chunks), headers, headersDistinct })
    response.writeHead(204).end()
  })

  beforeEach(async () => {
    received = []
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve))
  })

  test('is verified from headers and from headersDistinct', async () => {
    await fetch(address, { method: 'POST', headers: standardHeaders(body), body })
    const [{ rawBody, headers, headersDistinct } = {} as Received] = received
    expect((await standardReceiver().verify(rawBody!, headers)).event).toEqual(CONTENT_EVENT)
    expect((await standardReceiver().verify(rawBody!, headersDistinct)).event).toEqual(CONTENT_EVENT)
  })

  test('with a repeated signature header is ambiguous in both', async () => {
    const headers = Object.entries(standardHeaders(body))
    await fetch(address, { method: 'POST', headers: [...headers, ['webhook-signature', 'v1,x']], body })
    const [request] = received
    await expectRefused(standardReceiver().verify(request!.rawBody, request!.headers), 'header_ambiguous')
  })
})
