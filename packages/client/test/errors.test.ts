import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest'
import {
  PosthornConnectionError,
  PosthornError,
  type PosthornErrorCode,
  PosthornTimeoutError,
  type ProblemCode,
  type UnlistedErrorCode,
  unwrap,
} from '../src/index.ts'
import { contentClient, EVENT, rejection } from './support/clients.ts'
import { problem, scriptedService } from './support/scriptedService.ts'

test('an error answer is a PosthornError with all members of the problem document', async () => {
  const errors = [
    { pointer: '/data/via', message: 'is required' },
    { pointer: '/data/x', message: 'is not known' },
  ]
  const service = await scriptedService(problem(422, 'invalid_request', { errors }))
  const { client } = contentClient(service.baseUrl)
  const error = await rejection(client.publish(EVENT))
  expect(error).toBeInstanceOf(PosthornError)
  expect(error).toMatchObject({
    name: 'PosthornError',
    status: 422,
    code: 'invalid_request',
    detail: 'What is wrong is invalid_request.',
    errors,
    requestId: 'req_1',
    retryAfterSeconds: null,
    message:
      '422 invalid_request: What is wrong is invalid_request. /data/via is required; /data/x is not known',
  })
})

test('the message of an error with many mistakes stays short', async () => {
  const errors = Array.from({ length: 100 }, (_, i) => ({ pointer: `/events/${i}`, message: 'is wrong' }))
  const service = await scriptedService(problem(422, 'invalid_request', { errors }))
  const { client } = contentClient(service.baseUrl)
  const error = (await rejection(client.publish(EVENT))) as PosthornError
  expect(error.errors).toHaveLength(100)
  expect(error.message).toMatch(/\/events\/2 is wrong; and 97 more$/)
})

test('the code is a closed union, and a code of a later service is still available', async () => {
  expectTypeOf<PosthornError['code']>().toEqualTypeOf<PosthornErrorCode>()
  expectTypeOf<ProblemCode>().toExtend<PosthornErrorCode>()
  expectTypeOf<string>().not.toExtend<PosthornErrorCode>()
  expectTypeOf<
    Exclude<PosthornErrorCode, ProblemCode | UnlistedErrorCode>
  >().toEqualTypeOf<'unexpected_response'>()
  const service = await scriptedService(problem(418, 'teapot'))
  const { client } = contentClient(service.baseUrl)
  const { code } = (await rejection(client.publish(EVENT))) as PosthornError
  const widened: string = code
  expect(widened).toBe('teapot')
  // @ts-expect-error: there is no such code, so the comparison is a mistake
  expect(code === 'not_fonud').toBe(false)
})

test.each([
  [
    'an error page',
    { status: 404, body: '<html>nothing here</html>' },
    /404 .*text\/html: <html>nothing here/,
  ],
  ['JSON that is no problem', { status: 400, body: { message: 'no' } }, /400 /],
  ['a redirect, which is not followed', { status: 302, headers: { location: '/v1' }, body: '' }, /302 /],
  ['a page instead of an answer', { status: 200, body: '<html>sign in</html>' }, /200 .*<html>sign in/],
  ['nothing instead of an answer', { status: 200, headers: { 'content-length': '0' }, body: '' }, /200 /],
] as const)(
  'an answer that Posthorn cannot have sent is an unexpected_response: %s',
  async (_, answer, message) => {
    const service = await scriptedService(answer)
    const { client } = contentClient(service.baseUrl)
    const error = await rejection(client.publish(EVENT))
    expect(error).toBeInstanceOf(PosthornError)
    expect(error).toMatchObject({ code: 'unexpected_response', status: answer.status, requestId: null })
    expect((error as PosthornError).message).toMatch(message)
    expect(service.seen).toHaveLength(1)
  },
)

test('no answer is a PosthornConnectionError with its cause', async () => {
  const service = await scriptedService('hang up')
  const { client } = contentClient(service.baseUrl, { retries: 0 })
  const error = await rejection(client.publish(EVENT))
  expect(error).toBeInstanceOf(PosthornConnectionError)
  expect(error).toMatchObject({ name: 'PosthornConnectionError', cause: expect.any(TypeError) })
  expect((error as Error).message).toBe(`POST ${service.baseUrl}/v1/workspaces/acme/events: no response`)
})

test.each(['say nothing', 'stop halfway'] as const)(
  'an incomplete answer at the timeout is a PosthornTimeoutError: the service may %s',
  async (answer) => {
    const service = await scriptedService(answer)
    const { client } = contentClient(service.baseUrl, { retries: 0, timeoutMs: 50 })
    const error = await rejection(client.publish(EVENT))
    expect(error).toBeInstanceOf(PosthornTimeoutError)
    expect(error).toMatchObject({ name: 'PosthornTimeoutError', timeoutMs: 50 })
  },
)

test('the caller’s abort ends a running request, with the caller’s reason and without a retry', async () => {
  const service = await scriptedService('say nothing')
  const { client, waitsMs } = contentClient(service.baseUrl)
  const abort = new AbortController()
  const publishing = rejection(client.publish(EVENT, { signal: abort.signal }))
  await service.next()
  const reason = new Error('the user left')
  abort.abort(reason)
  expect(await publishing).toBe(reason)
  expect(waitsMs).toEqual([])
})

test('the caller’s abort ends a wait', async () => {
  const service = await scriptedService(problem(503, 'stopping', { headers: { 'retry-after': '60' } }))
  const abort = new AbortController()
  const setTimer = globalThis.setTimeout
  const waitBegins = new Promise<void>((resolve) => {
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((...timer: Parameters<typeof setTimer>) => {
      if ((timer[1] ?? 0) >= 60_000) resolve()
      return setTimer(...timer)
    })
  })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  // Undefined: the client uses its own wait.
  const { client } = contentClient(service.baseUrl, { sleep: undefined })
  const publishing = rejection(client.publish(EVENT, { signal: abort.signal }))
  await waitBegins
  abort.abort()
  expect(await publishing).toMatchObject({ name: 'AbortError' })
  expect(service.seen).toHaveLength(1)
})

test('a request whose caller has aborted already is not sent', async () => {
  const service = await scriptedService('say nothing')
  const { client } = contentClient(service.baseUrl)
  expect(await rejection(client.publish(EVENT, { signal: AbortSignal.abort() }))).toMatchObject({
    name: 'AbortError',
  })
  expect(service.seen).toEqual([])
})

test('the low-level client returns errors, and unwrap throws them', async () => {
  const service = await scriptedService(problem(404, 'not_found'))
  const { client } = contentClient(service.baseUrl)
  const params = { path: { ws: 'acme', id: 'wh_1' } }
  const get = () => client.api.GET('/v1/workspaces/{ws}/webhooks/{id}', { params })
  const { data, error, response } = await get()
  expect([data, error?.code, response.status]).toEqual([undefined, 'not_found', 404])
  expect(await rejection(unwrap(get()))).toMatchObject({ name: 'PosthornError', code: 'not_found' })
})
