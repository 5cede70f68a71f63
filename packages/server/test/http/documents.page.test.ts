import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentedApp } from '../../../../tools/documents/generate.ts'

const app = documentedApp()
beforeAll(() => app.ready())
afterAll(() => app.close())

/** The files that a browser loads for a page: those that its markup names. */
const filesIn = (html: string) => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!)

describe.each(['/docs', '/docs/'])('the page at %s', (url) => {
  it('loads, without credentials, and with a policy that allows nothing from elsewhere', async () => {
    const { statusCode, headers, body } = await app.inject(url)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(body).toContain('<title>Posthorn API</title>')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toMatch(/style-src 'self' 'sha256-[^' ]+';/)
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  it('allows the only style sheet that its scripts create, so that the browser blocks nothing', async () => {
    const { headers } = await app.inject(url)
    const script = (await app.inject('/docs/static/swagger-ui-standalone-preset.js')).body
    const sheets = [...script.matchAll(/createElement\("style",null,"([^"\\]+)"\)/g)].map(
      ([, sheet]) => sheet!,
    )
    expect(sheets).toHaveLength(1)
    expect(headers['content-security-policy']).toContain(`'sha256-${hash('sha256', sheets[0]!, 'base64')}'`)
  })

  it('has nothing inline, and loads only files from here', async () => {
    const { body } = await app.inject(url)
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/)
    const files = filesIn(body)
    expect(files.length).toBeGreaterThan(5)
    for (const file of files) {
      const { statusCode, headers } = await app.inject(new URL(file, `http://here${url}`).pathname)
      expect([file, statusCode, headers['x-content-type-options']]).toEqual([file, 200, 'nosniff'])
      expect(headers).toHaveProperty('content-security-policy')
    }
  })

  it('shows the served documents, and does not validate them elsewhere', async () => {
    const script = (await app.inject('/docs/static/swagger-initializer.js')).body
    const urls = [...script.matchAll(/"url":"([^"]+)"/g)].map(([, path]) => path!)
    expect(urls).toEqual([
      '/openapi/content.json',
      '/openapi/ads.json',
      '/openapi/standard.json',
      '/openapi/admin.json',
      '/openapi/console.json',
    ])
    for (const path of urls) expect((await app.inject(path)).statusCode).toBe(200)
    expect(script).toContain('validatorUrl: null')
  })
})

it.each(['/docs/json', '/docs/yaml', '/docs/static/none.js'])('%s is answered with 404', async (url) => {
  const { statusCode, headers } = await app.inject(url)
  expect([statusCode, headers['content-type']]).toEqual([404, 'application/problem+json'])
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
})
