import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.base}/receive/${path}`, { headers })

it('shows everyone the programs that verify requests of a service', async () => {
  const response = await get('ads.json')
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    service: 'ads',
    title: 'Advertising platform service',
    programs: expect.arrayContaining([
      expect.objectContaining({ id: 'python', file: 'receiver.py', why: null }),
      expect.objectContaining({
        id: 'node-posthorn',
        setup: [`npm install ${service.base}/downloads/posthorn-receiver.tgz`],
      }),
    ]),
  })
})

it('shows the page of one language in Markdown', async () => {
  const response = await get('content/go.md')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(await response.text()).toMatch(/^# Receive webhooks in Go\n[\s\S]*\npackage main\n/)
  const etag = response.headers.get('etag')!
  expect((await get('content/go.md', { 'if-none-match': etag })).status).toBe(304)
})

it.each([
  'content/cobol.md',
  'content/go',
  'content/go.json',
  'unknown.json',
  'unknown/go.md',
  'content/../ads.md',
])('has no %s', async (path) => {
  expect((await get(path)).status).toBe(404)
})
