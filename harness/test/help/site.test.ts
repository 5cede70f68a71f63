import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../src/browser/browser.ts'
import type { TestBrowser } from '../../src/browser/testBrowser.ts'
import { graveFindings } from '../../src/console/graveFindings.ts'
import { watchPages } from '../../src/console/watchPages.ts'
import { LOOKED_AT, LOOKS } from '../../src/help/pages.ts'
import { followLinks } from '../../src/help/siteLinks.ts'
import { type PosthornProcess, startService } from '../../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Everything that a first visit loads, as sent. */
const MOST_BYTES = 150 * 1000

let directory: string
let service: PosthornProcess
let browser: TestBrowser

beforeAll(async () => {
  execFileSync('npm', ['run', 'build:site', '--silent', '--workspace', 'apps/help'], {
    cwd: path.resolve(ROOT),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  directory = makeDirectory()
  service = await startService({ dataDir: directory, settings: {} })
  browser = await launchBrowser()
}, 300_000)
afterAll(async () => {
  await browser.close()
  await service.stop()
  removeDirectory(directory)
})

test('every link, anchor, picture and script of the documentation exists', async () => {
  const { pages, broken } = await followLinks(service.url)
  expect(broken).toEqual([])
  expect(pages.length).toBeGreaterThan(90)
})

test('llms.txt lists every page, and each is there as Markdown', async () => {
  const list = await (await fetch(`${service.url}/llms.txt`)).text()
  const listed = Array.from(list.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link!)
  const { pages } = await followLinks(service.url)
  const asMarkdown = pages.map((page) => `${page === '/help/' ? '/help/index' : page}.md`)
  expect([...listed].sort()).toEqual([...asMarkdown].sort())
  for (const link of listed) {
    const response = await fetch(service.url + link)
    expect(response.headers.get('content-type'), link).toBe('text/markdown; charset=utf-8')
    expect(await response.text(), link).toMatch(/^(<!-- Generated .+ -->\n\n)?# /)
  }
})

test('no page has a serious accessibility problem, an error, a request to elsewhere, or overflowing content', async () => {
  const findings: string[] = []
  for (const look of LOOKS) {
    const context = await browser.openWindow({ baseURL: service.url, ...look })
    const faults = watchPages(context)
    const page = await context.newPage()
    for (const url of LOOKED_AT) {
      await page.goto(url, { waitUntil: 'networkidle' })
      const found = [...(await graveFindings(page.mainFrame())), ...(await overflowOf(page))]
      findings.push(...found.map((finding) => `${url}, ${look.scheme}, ${look.width} px: ${finding}`))
    }
    findings.push(...faults.seen)
    await context.close()
  }
  expect(findings.join('\n')).toBe('')
})

async function overflowOf(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return beyond > 0 ? [`${beyond} px wider than the window`] : []
}

test('the search finds a page without any other server', async () => {
  const context = await browser.openWindow({ baseURL: service.url })
  const faults = watchPages(context)
  const page = await context.newPage()
  await page.goto('/help/', { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('master key')
  await page.getByRole('option').first().click()
  await page.waitForURL('**/help/**master-key**')
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a first visit loads at most 150 kB', async () => {
  const context = await browser.openWindow({ baseURL: service.url })
  const page = await context.newPage()
  const sizes = new Map<string, number>()
  const sent: Promise<unknown>[] = []
  page.on('requestfinished', (request) => {
    sent.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        sizes.set(request.url(), responseBodySize + responseHeadersSize)
      }),
    )
  })
  await page.goto('/help/', { waitUntil: 'networkidle' })
  await Promise.all(sent)
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  expect(sizes.size).toBeGreaterThan(4)
  expect(total, JSON.stringify([...sizes])).toBeLessThanOrEqual(MOST_BYTES)
  await context.close()
})
