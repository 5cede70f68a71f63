import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Destination } from '../../../src/engine/egress/destination.ts'
import { requestText } from '../../../src/engine/egress/http1/request.ts'

interface Parts {
  readonly url?: string
  readonly headers?: readonly string[]
  readonly body?: string
}

const request = ({ url = 'https://hooks.example.com/in', ...parts }: Parts = {}) =>
  requestText({
    destination: new Destination({ webhookId: 1, workspaceId: 1, url }),
    headers: [],
    body: '',
    ...parts,
  })

test("Node's server reads the intended values from it", async () => {
  const seen = new Promise<unknown>((resolve) => {
    const server = createServer((incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const { method, url, httpVersion, rawHeaders } = incoming
        resolve({ method, url, httpVersion, rawHeaders, body: Buffer.concat(chunks).toString() })
        response.end()
      })
    })
    server.listen(0, '127.0.0.1', () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.end(
        request({
          url: 'https://hooks.example.com/in?a=%20b',
          headers: ['X-Id', 'a b\t~', 'empty', ''],
          body: '{"ü":"𝄞"}',
        }),
      )
    })
    onTestFinished(() => void server.close())
  })
  expect(await seen).toEqual({
    method: 'POST',
    url: '/in?a=%20b',
    httpVersion: '1.1',
    rawHeaders: [
      ...['host', 'hooks.example.com', 'connection', 'keep-alive'],
      ...['X-Id', 'a b\t~', 'empty', '', 'content-length', '13'],
    ],
    body: '{"ü":"𝄞"}',
  })
})

test.each(['a b', 'a\r\nx: y', 'ü', 'a\0', '?a b', '?\tü'])(
  'the path %j becomes one printable word',
  (path) => {
    expect(request({ url: `https://hooks.example.com/${path}` })).toMatch(
      /^POST \/[!-~]+ HTTP\/1\.1\r\nhost: hooks\.example\.com\r\nconnection: /,
    )
  },
)

test.each(['gopher://example.com/', 'file:///etc/passwd', 'javascript:1'])(
  'the URL %s is rejected',
  (url) => {
    expect(() => request({ url })).toThrow('neither https: nor http:')
  },
)

test.each([
  ['', 'x'],
  ['a b', 'x'],
  ['a:', 'x'],
  ['x\r\ny', 'x'],
  ['x', 'a\r\nb: c'],
  ['x', 'a\0'],
  ['x', 'ü'],
])('the header %j: %j is rejected', (name, value) => {
  expect(() => request({ headers: [name, value] })).toThrow('a header of a request')
})
