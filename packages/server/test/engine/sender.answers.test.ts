import { describe, expect, test } from 'vitest'
import { serveTcp } from '../egress/loopback.ts'
import { receiver, requestTo, startSender } from './hostile.ts'

const answering = (head: string, body = 'see there') =>
  receiver((socket) => socket.write(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`))

describe('an answer that is not 2xx', () => {
  test.each([301, 302, 303, 304, 307, 308])('%i is a redirect and is not followed', async (status) => {
    const body = status === 304 ? '' : 'see there'
    const server = await answering(`${status} Moved\r\nLocation: /elsewhere`, body)
    const { outcome } = await startSender().send(server.port)
    expect(outcome).toMatchObject({ statusCode: status, error: { code: 'redirect' } })
    expect(outcome.error!.message).toMatch(new RegExp(`${status}.*Change the URL of the webhook`))
    expect(outcome.body === null ? '' : Buffer.from(outcome.body).toString()).toBe(body)
    expect(server.requests()).toBe(1)
  })

  test.each([
    [400, /answered 400/],
    [401, /signing secret of this webhook.*no login is required/],
    [403, /signing secret of this webhook.*no login is required/],
    [404, /path of the URL/],
    [405, /accepts POST/],
    [410, /wants no more requests/],
    [429, /fewer requests/],
    [500, /error log/],
    [503, /error log/],
    [999, /answered 999/],
  ])('%i is stored with its body and advice', async (status, advice) => {
    const server = await answering(`${status} No`, 'why not')
    const { outcome } = await startSender().send(server.port)
    expect(outcome.error).toEqual({
      code: 'http_status',
      fault: 'status',
      message: expect.stringMatching(advice),
    })
    expect(outcome.error!.message).toMatch(/Only a 2xx status counts as received\.$/)
    expect(outcome.statusCode).toBe(status)
    expect(Buffer.from(outcome.body!).toString()).toBe('why not')
  })

  test('passes on Retry-After and the content type unchanged, whatever their letter case', async () => {
    const server = await answering('503 Busy\r\nRETRY-AFTER: Fri, 31 Dec 1999\r\ncontent-type: text/\xe9')
    const { outcome } = await startSender().send(server.port)
    expect(outcome).toMatchObject({
      retryAfter: 'Fri, 31 Dec 1999',
      contentType: expect.stringMatching(/^text\//),
    })
  })

  test('treats the reason phrase as plain text', async () => {
    const server = await answering(`200 ${'OK '.repeat(5000)}`)
    expect((await startSender().send(server.port)).outcome.error).toBeNull()
  })
})

describe('an early answer', () => {
  test('before the request was read is accepted', async () => {
    const server = await serveTcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 202 Accepted\r\n\r\n')),
    )
    const { outcome } = await startSender().send(server.port)
    await server.close()
    expect(outcome).toMatchObject({ error: null, statusCode: 202 })
  })
})

describe('an impossible request', () => {
  test('because of its headers is a failed attempt and not an exception', async () => {
    const { sender } = startSender()
    for (const broken of [
      { ...requestTo(1), headers: ['bad header', 'x'] },
      { ...requestTo(1), headers: ['x-header', 'line\nbreak'] },
    ]) {
      const outcome = await new Promise((resolve) => sender.send(broken, resolve))
      expect(outcome).toMatchObject({ error: { code: 'protocol_error' }, statusCode: null })
    }
  })
})
