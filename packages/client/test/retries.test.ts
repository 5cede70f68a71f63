import { describe, expect, test } from 'vitest'
import { PosthornConnectionError, PosthornError } from '../src/index.ts'
import { contentClient, EVENT, rejection } from './support/clients.ts'
import { type Answer, PUBLISHED, problem, scriptedService } from './support/scriptedService.ts'

const WEBHOOK = { status: 200, body: { id: 'wh_1' } }
const keysOf = (service: { seen: readonly { headers: NodeJS.Dict<string | string[]> }[] }) =>
  service.seen.map(({ headers }) => headers['idempotency-key'])

describe('repeated requests', () => {
  const passing: readonly (readonly [string, Answer])[] = [
    ['a connection that breaks', 'hang up'],
    ['409 idempotency_key_in_use', problem(409, 'idempotency_key_in_use')],
    ['429', problem(429, 'rate_limited')],
    ['503', problem(503, 'store_unavailable')],
    ['408', problem(408, 'request_timeout')],
    ['502 of a proxy', { status: 502, body: '<html>Bad gateway</html>' }],
    ['504 of a proxy', { status: 504, body: '' }],
  ]

  test.each(passing)('a publish continues after %s', async (_, answer) => {
    const service = await scriptedService(answer, answer, PUBLISHED)
    const { client } = contentClient(service.baseUrl)
    expect(await client.publish(EVENT)).toEqual({ id: 'evt_1', repeated: false })
    expect(service.seen).toHaveLength(3)
  })

  test.each(passing)('so does a GET after %s', async (_, answer) => {
    const service = await scriptedService(answer, WEBHOOK)
    const { client } = contentClient(service.baseUrl)
    expect(await client.webhooks.get('wh_1')).toEqual({ id: 'wh_1' })
  })

  test('a publish continues after an attempt that timed out, and after one whose answer broke off', async () => {
    const service = await scriptedService('say nothing', 'stop halfway', PUBLISHED)
    const { client } = contentClient(service.baseUrl, { timeoutMs: 100 })
    expect(await client.publish(EVENT)).toEqual({ id: 'evt_1', repeated: false })
    expect(service.seen).toHaveLength(3)
  })

  test.each(passing)('a PATCH and a DELETE are attempted once, whatever happens: %s', async (_, answer) => {
    const service = await scriptedService(answer)
    const { client } = contentClient(service.baseUrl)
    await rejection(client.webhooks.update('wh_1', { description: 'new' }))
    await rejection(client.webhooks.delete('wh_1'))
    expect(service.seen.map(({ method }) => method)).toEqual(['PATCH', 'DELETE'])
  })

  test.each([
    ['400', problem(400, 'malformed_json')],
    ['401', problem(401, 'key_revoked')],
    ['404', problem(404, 'not_found')],
    ['409 for another reason', problem(409, 'event_id_conflict')],
    ['409 of a stranger', { status: 409, body: 'idempotency_key_in_use' }],
    ['422', problem(422, 'invalid_request')],
    ['500', problem(500, 'internal_error')],
  ] as const)('a failure that a repeat cannot fix is attempted once: %s', async (_, answer) => {
    const service = await scriptedService(answer)
    const { client, waitsMs } = contentClient(service.baseUrl)
    expect(await rejection(client.publish(EVENT))).toMatchObject({ status: answer.status })
    expect(service.seen).toHaveLength(1)
    expect(waitsMs).toEqual([])
  })

  test('after the last retry the last failure is thrown', async () => {
    const service = await scriptedService('hang up', 'hang up', problem(503, 'stopping'))
    const { client, waitsMs } = contentClient(service.baseUrl, { retries: 2 })
    const error = await rejection(client.publish(EVENT))
    expect(error).toBeInstanceOf(PosthornError)
    expect(error).toMatchObject({ status: 503, code: 'stopping' })
    expect(service.seen).toHaveLength(3)
    expect(waitsMs).toHaveLength(2)
  })

  test('without retries there is one attempt', async () => {
    const service = await scriptedService('hang up')
    const { client } = contentClient(service.baseUrl, { retries: 0 })
    expect(await rejection(client.publish(EVENT))).toBeInstanceOf(PosthornConnectionError)
    expect(service.seen).toHaveLength(1)
  })
})

describe('idempotency', () => {
  test('the key and the body stay the same over the attempts of one call, and differ between calls', async () => {
    const service = await scriptedService('hang up', problem(503, 'stopping'), PUBLISHED)
    const { client } = contentClient(service.baseUrl)
    await client.publish(EVENT)
    await client.publish(EVENT)
    const keys = keysOf(service)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]])
    expect(keys[3]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[3]).not.toBe(keys[0])
    expect(service.seen.map(({ body }) => JSON.parse(body))).toEqual([EVENT, EVENT, EVENT, EVENT])
  })

  test('every POST has a key, also through the low-level client, and nothing else has', async () => {
    const service = await scriptedService({
      status: 200,
      body: { data: [], next_cursor: null, has_more: false },
    })
    const { client } = contentClient(service.baseUrl)
    const params = { path: { ws: 'acme', id: 'wh_1' } }
    await client.api.POST('/v1/workspaces/{ws}/webhooks/{id}/test', { params })
    await client.webhooks.test('wh_1')
    await client.webhooks.list()
    await client.webhooks.update('wh_1', {})
    expect(keysOf(service).map((key) => key !== undefined)).toEqual([true, true, false, false])
  })

  test('a key of the caller is sent unchanged', async () => {
    const service = await scriptedService('hang up', PUBLISHED)
    const { client } = contentClient(service.baseUrl)
    await client.publish(EVENT, { idempotencyKey: 'order-17' })
    expect(keysOf(service)).toEqual(['order-17', 'order-17'])
  })
})

describe('waits', () => {
  test('grow by doubling up to a limit, with jitter', async () => {
    const service = await scriptedService('hang up')
    for (const [random, first, longest] of [
      [0, 250, 4_000],
      [1, 500, 8_000],
    ] as const) {
      const { client, waitsMs } = contentClient(service.baseUrl, { retries: 7, random: () => random })
      await rejection(client.webhooks.get('wh_1'))
      expect(waitsMs).toEqual([first, first * 2, first * 4, first * 8, longest, longest, longest])
    }
  })

  test('are never shorter than Retry-After asks for', async () => {
    const service = await scriptedService(
      problem(429, 'rate_limited', { headers: { 'retry-after': '7' } }),
      WEBHOOK,
    )
    const { client, waitsMs } = contentClient(service.baseUrl)
    await client.webhooks.get('wh_1')
    expect(waitsMs).toEqual([7_125])
  })

  test('are as long as a Retry-After that is a date asks for', async () => {
    const at = new Date(Date.now() + 30_000).toUTCString()
    const service = await scriptedService({ status: 503, headers: { 'retry-after': at }, body: '' }, WEBHOOK)
    const { client, waitsMs } = contentClient(service.baseUrl)
    await client.webhooks.get('wh_1')
    expect(waitsMs[0]).toBeGreaterThan(25_000)
    expect(waitsMs[0]).toBeLessThan(32_000)
  })

  test('a Retry-After beyond a minute is returned to the caller instead', async () => {
    const service = await scriptedService(problem(429, 'rate_limited', { headers: { 'retry-after': '61' } }))
    const { client, waitsMs } = contentClient(service.baseUrl)
    expect(await rejection(client.webhooks.test('wh_1'))).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 61,
    })
    expect(waitsMs).toEqual([])
  })

  test('an invalid Retry-After is ignored', async () => {
    const service = await scriptedService(problem(503, 'stopping', { headers: { 'retry-after': 'soon' } }))
    const { client, waitsMs } = contentClient(service.baseUrl, { retries: 1 })
    expect(await rejection(client.webhooks.get('wh_1'))).toMatchObject({ retryAfterSeconds: null })
    expect(waitsMs).toEqual([375])
  })
})
