import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from './service.ts'

let directory: string
let service: TestService
const PACKED = Buffer.from([0x1f, 0x8b, 0, 1, 2, 255])

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'downloads-'))
  writeFileSync(join(directory, 'posthorn-receiver.tgz'), PACKED)
  service = await startTestService(() => ({ downloadsDirectory: directory }))
})
afterAll(async () => {
  await service.stop()
  rmSync(directory, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.base}/downloads/${path}`, { headers })

it('serves a library as packed, without credentials', async () => {
  const response = await get('posthorn-receiver.tgz')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(Buffer.from(await response.arrayBuffer())).toEqual(PACKED)
})

it('answers 304 while the library is the same', async () => {
  const etag = (await get('posthorn-receiver.tgz')).headers.get('etag')!
  expect(etag).toMatch(/^"[\w-]{43}"$/)
  expect((await get('posthorn-receiver.tgz', { 'if-none-match': etag })).status).toBe(304)
  expect((await get('posthorn-receiver.tgz', { 'if-none-match': '"other"' })).status).toBe(200)
})

it('says what to do where a library was not packed', async () => {
  const response = await get('posthorn-client.tgz')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    code: 'not_found',
    detail:
      'This installation does not contain posthorn-client.tgz. Run npm run build, then restart Posthorn.',
  })
})

it('serves nothing else', async () => {
  expect((await get('posthorn-server.tgz')).status).toBe(404)
  expect((await get('..%2fpackage.json')).status).toBe(404)
})
