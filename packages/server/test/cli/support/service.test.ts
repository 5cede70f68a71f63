import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '../../../src/cli/config/parseConfig.ts'
import { readParts } from '../../../src/cli/support/bundle.ts'
import { servedParts } from '../../../src/cli/support/service.ts'

let server: Server
let answer: RequestListener
let seen: string[]
beforeEach(async () => {
  seen = []
  server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? 'without a token'}`)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function read(listener: RequestListener) {
  answer = listener
  const { port } = server.address() as AddressInfo
  const config = parseConfig({ port: String(port), adminToken: 'token-of-an-operator' })
  return readParts(servedParts(() => config))
}

test('only the admin API gets the token', async () => {
  await read((_request, response) => response.end('{}'))
  expect(seen.sort()).toEqual([
    '/admin/v1/master-keys Bearer token-of-an-operator',
    '/admin/v1/outages Bearer token-of-an-operator',
    '/admin/v1/status Bearer token-of-an-operator',
    '/metrics without a token',
    '/readyz without a token',
  ])
})

test.each<[string, RequestListener, RegExp]>([
  ['does not accept the token', (_request, response) => response.writeHead(401).end('Bearer'), /^401: /],
  [
    'leads elsewhere',
    (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    /^the service answered with status 302$/,
  ],
  ['is another one', (_request, response) => response.end('<html>'), /^the response is not from Posthorn/],
  [
    'never ends its answer',
    (_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024)
      const more = () => {
        while (response.write(chunk));
        response.once('drain', more)
      }
      more()
    },
    /^the answer is larger than 8 MiB$/,
  ],
  ['closes connections', (request) => request.socket.destroy(), /^no service answers at /],
])('nothing is taken from a service that %s', async (_what, listener, reason) => {
  const members = await read(listener)
  const status = members.find(({ name }) => name === 'status.json')!
  expect([status.text, status.missing]).toEqual(['', expect.stringMatching(reason)])
  expect(seen.some((request) => request.startsWith('/elsewhere'))).toBe(false)
})

test('readyz of a node that is not ready is included', async () => {
  const members = await read((_request, response) => response.writeHead(503).end('{"status":"away"}'))
  expect(members.find(({ name }) => name === 'readyz.txt')!.text).toBe('503\n{"status":"away"}\n')
})
