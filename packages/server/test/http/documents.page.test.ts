import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentedApp } from '../../../../tools/documents/generate.ts'

const app = documentedApp(join(import.meta.dirname, '../../reference'))
beforeAll(() => app.ready())
afterAll(() => app.close())

/** The files that a browser loads for a page: those that its markup names. */
const filesIn = (html: string) =>
  [...html.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)].map(([, file]) => file!)

describe.each(['/docs', '/docs/'])('the page at %s', (url) => {
  it('loads, without credentials, and with a policy that allows nothing from elsewhere', async () => {
    const { statusCode, headers, body } = await app.inject(url)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' })
    expect(body).toContain('<title>Posthorn API</title>')
    const policy = String(headers['content-security-policy'])
    for (const directive of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"])
      expect(policy.split('; ')).toContain(directive)
    expect(policy).toMatch(/; style-src 'self' 'sha256-[^' ]+';/)
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cross-origin-opener-policy': 'same-origin' })
    // RapiDoc's style attributes are all that is inline.
    expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toMatch(/unsafe|https?:|\*/)
  })

  it('has nothing inline, and loads only files from here', async () => {
    const { body } = await app.inject(url)
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/)
    const files = filesIn(body)
    expect(files.length).toBeGreaterThan(2)
    for (const file of files) {
      const { statusCode, headers } = await app.inject(new URL(file, `http://here${url}`).pathname)
      expect([file, statusCode, headers['x-content-type-options']]).toEqual([file, 200, 'nosniff'])
    }
  })
})

it('scripts and styles of the page are compressed once, and kept by browsers', async () => {
  const { body } = await app.inject('/docs')
  const assets = filesIn(body).filter((file) => file.startsWith('/docs/assets/'))
  expect(assets).toHaveLength(2)
  for (const url of assets) {
    const { headers } = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } })
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }
})

it('the page offers every served document', async () => {
  const { headers, body } = await app.inject('/docs/documents.json')
  expect(headers['cache-control']).toBe('no-cache')
  const urls = (JSON.parse(body) as { url: string }[]).map(({ url }) => url)
  expect(urls).toEqual([
    '/openapi/content.json',
    '/openapi/ads.json',
    '/openapi/standard.json',
    '/openapi/admin.json',
    '/openapi/console.json',
  ])
  for (const url of urls) expect((await app.inject(url)).statusCode).toBe(200)
})

it.each(['/docs/json', '/docs/yaml', '/docs/assets/none.js'])('%s is answered with 404', async (url) => {
  const { statusCode, headers } = await app.inject(url)
  expect([statusCode, headers['content-type']]).toEqual([404, 'application/problem+json'])
})

it('says what to do where the page was not built', async () => {
  const unbuilt = documentedApp()
  const { statusCode, body } = await unbuilt.inject('/docs')
  await unbuilt.close()
  expect(statusCode).toBe(404)
  expect(JSON.parse(body)).toMatchObject({
    code: 'not_found',
    detail: 'This installation does not contain the API reference. Run npm run build, then restart Posthorn.',
  })
})

describe('a document', () => {
  it('is JSON that a browser may cache, but must revalidate', async () => {
    const { headers } = await app.inject('/openapi/content.json')
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache' })
  })

  it('is not sent again to a client that has it', async () => {
    const first = await app.inject('/openapi/content.json')
    const again = await app.inject({
      url: '/openapi/content.json?x=1',
      headers: { 'if-none-match': String(first.headers.etag) },
    })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', first.headers.etag])
    const other = (await app.inject('/openapi/ads.json')).headers.etag
    expect(other).not.toBe(first.headers.etag)
  })

  it.each([
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0, br', undefined],
    ['gzip;q=0.0', undefined],
    ['x-gzip', undefined],
    ['', undefined],
  ])('is compressed for clients that accept gzip: %s', async (accepted, encoding) => {
    const plain = await app.inject('/openapi/content.json')
    const url = '/openapi/content.json'
    const { headers, rawPayload } = await app.inject({ url, headers: { 'accept-encoding': accepted } })
    expect(headers).toMatchObject({ vary: 'accept-encoding', etag: plain.headers.etag })
    expect(headers['content-encoding']).toBe(encoding)
    if (encoding === 'gzip') expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
    const bytes = encoding === 'gzip' ? gunzipSync(rawPayload) : rawPayload
    expect(bytes.equals(plain.rawPayload)).toBe(true)
  })
})
