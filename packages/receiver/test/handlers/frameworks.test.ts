import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EventBusyError } from '../../src/dedupe.ts'
import { createReceiver, type VerifiedStandardEvent, WebhookVerificationError } from '../../src/index.ts'
import { now, profileFile, signingService } from '../signingService.ts'
import { NOW_SECONDS } from '../support.ts'
import { FRAMEWORKS, type Running, type Start, WITH_RAW_BODY, WITHOUT_RAW_BODY } from './servers.ts'

const service = signingService(profileFile('content'))
const body = service.body({ amount: 100, name: 'Zoë 🐴' }, { links: { app: 'https://app.example.com' } })
const headers: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  ...service.sign(body),
}
const receiver = createReceiver({ scheme: 'standard', secrets: service.secret(1), now, maxBodyBytes: 10_000 })

interface Handled {
  readonly verified: VerifiedStandardEvent<{ readonly type: string }>
  readonly context: readonly unknown[]
}

/** A server whose handler follows a test's instructions. */
function served(start: Start) {
  const state = {
    url: '',
    handled: [] as Handled[],
    errors: [] as unknown[],
    respond: (): unknown => undefined,
  }
  let running: Running
  beforeAll(async () => {
    running = await start({
      receiver,
      handle: (verified, ...context) => {
        state.handled.push({ verified, context } as Handled)
        return state.respond()
      },
      onError: (error) => state.errors.push(error),
    })
    state.url = running.url
  })
  afterAll(() => running.close())
  beforeEach(() => {
    state.handled = []
    state.errors = []
    state.respond = () => undefined
  })
  return state
}

const post = (url: string, init: RequestInit = {}) => fetch(url, { method: 'POST', headers, body, ...init })

describe.each(Object.entries(FRAMEWORKS))('%s', (_name, start) => {
  const server = served(start)

  test('passes verified webhooks to the handler and answers 204 after it', async () => {
    let isDone = false
    server.respond = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      isDone = true
    }
    const response = await post(server.url)
    expect([response.status, await response.text(), isDone]).toEqual([204, '', true])
    expect(server.handled).toHaveLength(1)
    expect(server.handled[0]!.verified).toMatchObject({ id: 'evt_1', event: JSON.parse(body) })
    expect(server.handled[0]!.context[0]).toBeInstanceOf(Object)
    expect(server.errors).toEqual([])
  })

  test('accepts any content type, none, and bodies in pieces', async () => {
    for (const type of [
      'application/cloudevents+json; charset=utf-8',
      'text/plain',
      'application/x-www-form-urlencoded',
    ])
      expect((await post(server.url, { headers: { ...headers, 'content-type': type } })).status).toBe(204)
    expect((await post(server.url, { headers: service.sign(body), body: Buffer.from(body) })).status).toBe(
      204,
    )
    const pieces = new Blob([body.slice(0, 9), body.slice(9)]).stream()
    expect((await post(server.url, { body: pieces, duplex: 'half' } as RequestInit)).status).toBe(204)
    expect(server.handled).toHaveLength(5)
  })

  test.each([
    ['another secret', service.sign(body, [2]), 401, 'signature_mismatch: '],
    ['an altered body', service.sign(`${body} `), 401, 'signature_mismatch: '],
    ['no signature', { ...headers, 'webhook-signature': '' }, 400, 'signature_malformed: '],
    [
      'an old time',
      service.sign(body, [1], { timestampSeconds: NOW_SECONDS - 301 }),
      401,
      'timestamp_too_old: Off by 301 s',
    ],
    ['no id', { 'webhook-signature': headers['webhook-signature']! }, 400, 'id_missing: '],
  ])('answers a request with %s according to the reason', async (_what, sent, status, reason) => {
    const response = await post(server.url, { headers: { ...sent, 'content-type': 'application/json' } })
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(reason)
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(server.handled).toEqual([])
    expect(server.errors).toMatchObject([{ name: 'WebhookVerificationError' }])
  })

  test('answers a body that is too large with 413, with or without a content length', async () => {
    const large = 'x'.repeat(500_000)
    const signed = { ...headers, ...service.sign(large) }
    expect((await post(server.url, { body: large, headers: signed })).status).toBe(413)
    const stream = new Blob([large]).stream()
    const unsaid = { body: stream, headers: signed, duplex: 'half' } as RequestInit
    expect((await post(server.url, unsaid)).status).toBe(413)
    expect((await post(server.url)).status).toBe(204)
  })

  test('answers 500 if the handler throws, and hides the reason from the sender', async () => {
    const nested = new WebhookVerificationError('signature_mismatch', 'of something else')
    for (const reason of [new Error('the database is secret'), nested, null, 'text', undefined]) {
      server.respond = () => Promise.reject(reason)
      const response = await post(server.url)
      expect(response.status).toBe(500)
      expect(await response.text()).toBe('handler_failed: The event could not be processed. Retry it.')
      expect(server.errors.pop()).toBe(reason)
    }
  })

  test('answers 503 if the event is busy, and says when to retry', async () => {
    server.respond = () => {
      throw new EventBusyError('evt_1 is being handled.')
    }
    const response = await post(server.url)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })

  test('rejects other methods', async () => {
    expect([404, 405]).toContain((await fetch(server.url, { headers })).status)
    expect([404, 405]).toContain((await fetch(server.url, { method: 'PUT', headers, body })).status)
    expect(server.handled).toEqual([])
  })

  test('continues after a sender has disconnected', async () => {
    const hungUp = new Promise<void>((resolve) => {
      const sending = httpRequest(server.url, {
        method: 'POST',
        headers: { ...headers, 'content-length': 5000 },
      })
      sending.on('error', () => resolve())
      sending.write(body, () => sending.destroy(new Error('hung up')))
    })
    await hungUp
    expect((await post(server.url)).status).toBe(204)
    expect(server.handled).toHaveLength(1)
  })
})

describe.each(Object.entries(WITH_RAW_BODY))('behind %s', (_name, start) => {
  const server = served(start)

  test('the stored raw bytes are verified', async () => {
    for (let i = 0; i < 3; i += 1) expect((await post(server.url)).status).toBe(204)
    expect(server.handled).toHaveLength(3)
    const other = await post(server.url, { headers: { ...headers, ...service.sign(body, [2]) } })
    expect(other.status).toBe(401)
  })
})

describe.each(Object.entries(WITHOUT_RAW_BODY))('behind %s', (_name, start) => {
  const server = served(start)

  test('the request is answered with 500, so that it is retried, and the mistake is logged', async () => {
    const response = await post(server.url)
    expect(response.status).toBe(500)
    expect(await response.text()).toMatch(/^body_(not_raw|unreadable): The body is already (parsed|read)/)
    expect(server.errors).toMatchObject([{ code: expect.stringMatching(/^body_/) }])
    expect(server.handled).toEqual([])
  })
})

test('parsers of other Fastify routes are unchanged', async () => {
  const running = await FRAMEWORKS.fastify!({ receiver, handle: () => {}, onError: () => {} })
  try {
    const response = await post(running.url.replace('/hooks', '/other'))
    expect(await response.json()).toEqual(JSON.parse(body))
  } finally {
    await running.close()
  }
})
