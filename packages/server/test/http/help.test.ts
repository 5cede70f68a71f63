import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { startTestService, type TestService } from './service.ts'

let directory: string
let service: TestService
let unbuilt: TestService
const FILES: Readonly<Record<string, string>> = {
  'index.html': '<h1>Posthorn</h1>',
  'start.html': '<h1>Get started</h1>',
  'start.md': '# Get started – now\n',
  'receive.html': '<h1>Receive</h1>',
  'receive/go.html': '<h1>Go</h1>',
  '404.html': '<h1>No such page</h1>',
  'llms.txt': '# Posthorn\n',
  'logo.svg': '<svg/>',
  'assets/app.abc.js': 'start()',
}
const ASSET_CACHING = 'public, max-age=31536000, immutable'

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'help-'))
  for (const folder of ['assets', 'receive']) mkdirSync(join(directory, folder))
  for (const [file, text] of Object.entries(FILES)) {
    writeFileSync(join(directory, file), text)
    writeFileSync(join(directory, `${file}.br`), brotliCompressSync(text))
    writeFileSync(join(directory, `${file}.gz`), gzipSync(text))
  }
  writeFileSync(join(directory, 'hashmap.json'), '{}')
  const files = Object.fromEntries(Object.keys(FILES).map((file) => [file, `hash-of-${file}`]))
  writeFileSync(
    join(directory, 'site.json'),
    JSON.stringify({ scripts: ["'sha256-abc='"], styles: ["'sha256-def='"], files }),
  )
  service = await startTestService(() => ({ helpDirectory: directory }))
  unbuilt = await startTestService(() => ({ helpDirectory: null }))
})
afterAll(async () => {
  await service.stop()
  await unbuilt.stop()
  rmSync(directory, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.base}${path}`, { headers, method, redirect: 'manual' })

describe('what is at an address', () => {
  it.each([
    ['/help/', 'index.html', 'text/html; charset=utf-8'],
    ['/help/start', 'start.html', 'text/html; charset=utf-8'],
    ['/help/receive', 'receive.html', 'text/html; charset=utf-8'],
    ['/help/receive/go', 'receive/go.html', 'text/html; charset=utf-8'],
    ['/help/start.md', 'start.md', 'text/markdown; charset=utf-8'],
    ['/help/llms.txt', 'llms.txt', 'text/plain; charset=utf-8'],
    ['/llms.txt', 'llms.txt', 'text/plain; charset=utf-8'],
    ['/help/logo.svg', 'logo.svg', 'image/svg+xml'],
    ['/help/assets/app.abc.js', 'assets/app.abc.js', 'application/javascript; charset=utf-8'],
  ])('%s is %s', async (path, file, type) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(await response.text()).toBe(FILES[file])
  })

  it('/help leads to /help/', async () => {
    const response = await get('/help')
    expect(response.status).toBe(308)
    expect(response.headers.get('location')).toBe('/help/')
  })
})

it.each(['br', 'gzip'])('sends files that are compressed with %s already', async (encoding) => {
  for (const path of ['/help/start', '/help/start.md', '/help/assets/app.abc.js', '/llms.txt']) {
    const response = await get(path, { 'accept-encoding': encoding }, 'HEAD')
    expect(response.headers.get('content-encoding'), path).toBe(encoding)
    expect(response.headers.get('vary'), path).toBe('accept-encoding')
  }
})

it('answers HEAD with the length and no body', async () => {
  const response = await get('/help/start', { 'accept-encoding': 'identity' }, 'HEAD')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe(String(FILES['start.html']!.length))
  expect(await response.text()).toBe('')
})

it('lets browsers keep assets, and ask for everything else', async () => {
  const caching = async (path: string) => (await get(path)).headers.get('cache-control')
  expect(await caching('/help/assets/app.abc.js')).toBe(ASSET_CACHING)
  for (const path of ['/help/', '/help/start', '/help/start.md', '/llms.txt'])
    expect(await caching(path), path).toBe('no-cache')
})

it('answers 304 while a page is the same, in any encoding', async () => {
  const etag = (await get('/help/start')).headers.get('etag')!
  expect(etag).toBe('W/"hash-of-start.html"')
  for (const known of [etag, `"other", ${etag}`, etag.slice(2)]) {
    const response = await get('/help/start', { 'if-none-match': known })
    expect(response.status, known).toBe(304)
    expect(await response.text()).toBe('')
  }
  expect((await get('/help/start', { 'if-none-match': '"other"' })).status).toBe(200)
})

it('sends pages with the headers of the console, and allows their own inline scripts', async () => {
  for (const path of ['/help/', '/help/start', '/help/none']) {
    const { headers } = await get(path, { accept: 'text/html' })
    const policy = headers.get('content-security-policy')
    expect(policy, path).toContain(
      "default-src 'none'; script-src 'self' 'sha256-abc='; style-src 'self' 'sha256-def=';",
    )
    expect(policy, path).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options'), path).toBe('DENY')
    expect(headers.get('referrer-policy'), path).toBe('no-referrer')
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
  }
})

test('an unknown page returns a page to browsers, and an error document to programs', async () => {
  const opened = await get('/help/none', { accept: 'text/html,*/*;q=0.8', 'if-none-match': '*' })
  expect(opened.status).toBe(404)
  expect(opened.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(opened.headers.get('etag')).toBeNull()
  expect(await opened.text()).toBe(FILES['404.html'])
  const asked = await get('/help/none.md')
  expect(asked.status).toBe(404)
  expect(await asked.json()).toMatchObject({ code: 'not_found' })
  expect((await get('/help/start', {}, 'POST')).status).toBe(405)
})

it.each([
  'site.json',
  'hashmap.json',
  'start.html.br',
  'receive/',
  '..%2fpackage.json',
  '%2e%2e/package.json',
  'constructor',
  '%00',
])('does not serve %s', async (path) => {
  expect((await get(`/help/${path}`)).status).toBeGreaterThanOrEqual(400)
})

it('lets no cache keep the answer for a file that has vanished', async () => {
  const at = join(directory, 'assets/app.abc.js')
  for (const suffix of ['', '.br', '.gz']) rmSync(at + suffix)
  const { status, headers } = await get('/help/assets/app.abc.js')
  expect(status).toBe(404)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('etag')).toBeNull()
})

it('says what to do where the documentation was not built', async () => {
  for (const path of ['/help/', '/help/start', '/llms.txt']) {
    const response = await fetch(`${unbuilt.base}${path}`)
    expect(response.status, path).toBe(404)
    expect(await response.json()).toMatchObject({
      code: 'not_found',
      detail:
        'This installation does not contain the documentation. Run npm run build, then restart Posthorn.',
    })
  }
})
