import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebhookHeaders } from '../src/index.ts'
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
    expect((await standardReceiver().verify(post())).event).toEqual(CONTENT_EVENT)
  })

  test('is verified when its body arrives in pieces', async () => {
    const bytes = bytesOf(body)
    const pieces = streamOf([bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1)])
    expect((await standardReceiver().verify(post({ body: pieces }))).id).toBe(MESSAGE_ID)
  })

  test('without a body has the empty body', async () => {
    const request = post({ body: null, headers: standardHeaders('') })
    await expectRefused(standardReceiver().verify(request), 'body_not_json')
  })

  test('whose body was already read is rejected with that reason', async () => {
    const request = post()
    await request.text()
    await expectRefused(standardReceiver().verify(request), 'body_unreadable')
  })

  test('whose body is being read by other code is rejected with that reason', async () => {
    const request = post()
    request.body?.getReader()
    await expectRefused(standardReceiver().verify(request), 'body_unreadable')
  })

  test('whose body was read and released is rejected with that reason, not as a forgery', async () => {
    const request = post()
    const reader = request.body!.getReader()
    while (!(await reader.read()).done);
    reader.releaseLock()
    await expectRefused(standardReceiver().verify(request), 'body_unreadable')
  })

  test('whose body breaks off is rejected with that reason', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    await expectRefused(standardReceiver().verify(post({ body: broken })), 'body_unreadable')
  })

  test('is rejected and no longer read once its body exceeds the limit', async () => {
    let canceled = false
    const chunk = new Uint8Array(1000)
    const endless = streamOf(Array(1000).fill(chunk), () => {
      canceled = true
    })
    const outcome = standardReceiver({ maxBodyBytes: 1500 }).verify(post({ body: endless }))
    await expectRefused(outcome, 'body_too_large')
    expect(canceled).toBe(true)
  })

  test('with bad headers is rejected before its body is read', async () => {
    const request = post({ headers: { ...standardHeaders(body), 'webhook-signature': 'v1,' } })
    await expectRefused(standardReceiver().verify(request), 'signature_malformed')
    expect(request.bodyUsed).toBe(false)
  })
})

describe('a request to node:http', () => {
  type Verify = (request: IncomingMessage) => Promise<unknown>
  let verify: Verify = () => Promise.resolve()
  let outcome: Promise<unknown> = Promise.resolve()
  let address = ''
  const server = createServer((request, response) => {
    outcome = verify(request)
    const status = outcome.then(
      () => 204,
      () => 400,
    )
    status.then((code) => response.writeHead(code).end())
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  async function post(how: Verify, init: RequestInit = {}): Promise<unknown> {
    verify = how
    await fetch(address, { method: 'POST', headers: standardHeaders(body), body, ...init })
    return outcome
  }

  test('is verified directly, and with its body read and its headers in any of their forms', async () => {
    const receiver = standardReceiver()
    expect(await post((request) => receiver.verify(request))).toMatchObject({ event: CONTENT_EVENT })
    const forms = ['headers', 'headersDistinct', 'rawHeaders'] as const
    for (const form of forms) {
      const verified = post(async (request) => {
        const raw = await bufferOf(request)
        return receiver.verify(raw, request[form] as WebhookHeaders)
      })
      expect(await verified).toMatchObject({ id: MESSAGE_ID })
    }
  })

  test('with a repeated signature header is ambiguous', async () => {
    const headers = [...Object.entries(standardHeaders(body)), ['webhook-signature', 'v1,x']] as [
      string,
      string,
    ][]
    await expectRefused(
      post((request) => standardReceiver().verify(request), { headers }),
      'header_ambiguous',
    )
  })

  test('that a parser has read is rejected with that reason', async () => {
    const parse = async (request: IncomingMessage, keep: object) => {
      const raw = await bufferOf(request)
      Object.assign(request, keep, { body: JSON.parse(raw.toString()) })
      return standardReceiver().verify(request)
    }
    await expectRefused(
      post((request) => parse(request, {})),
      'body_not_raw',
    )
    await expectRefused(
      post(async (request) => {
        await bufferOf(request)
        return standardReceiver().verify(request)
      }),
      'body_unreadable',
    )
  })

  test('that a parser has read is verified if the raw bytes were kept', async () => {
    for (const keep of [
      (raw: Buffer) => ({ rawBody: raw, body: {} }),
      (raw: Buffer) => ({ body: raw }),
      String,
    ]) {
      const verified = post(async (request) => {
        const kept = keep(await bufferOf(request))
        Object.assign(request, typeof kept === 'string' ? { body: kept } : kept)
        return standardReceiver().verify(request)
      })
      expect(await verified).toMatchObject({ id: MESSAGE_ID })
    }
  })

  test('that is too large is rejected, can be answered, and is no longer buffered', async () => {
    const small = standardReceiver({ maxBodyBytes: 1000 })
    const large = 'x'.repeat(2_000_000)
    await expectRefused(
      post((request) => small.verify(request), { body: large, headers: standardHeaders(large) }),
      'body_too_large',
    )
  })

  test('that breaks off is rejected with that reason', async () => {
    const { promise: begun, resolve: begin } = deferred()
    verify = (request) => {
      begin()
      return standardReceiver().verify(request)
    }
    const sending = httpRequest(address, {
      method: 'POST',
      headers: { ...standardHeaders(body), 'content-length': 999 },
    })
    sending.on('error', () => undefined)
    sending.write(body)
    await begun
    sending.destroy()
    await expectRefused(outcome, 'body_unreadable')
  })
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

async function bufferOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
