import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledIn } from '../../../tools/release/bundled.ts'
import { launchBrowser } from '../../src/browser/browser.ts'
import type { TestBrowser } from '../../src/browser/testBrowser.ts'
import { graveFindings } from '../../src/console/graveFindings.ts'
import { watchPages } from '../../src/console/watchPages.ts'
import { LOOKED_AT, LOOKS } from '../../src/help/pages.ts'
import { followLinks } from '../../src/help/siteLinks.ts'
import { type PosthornProcess, startService } from '../../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'
import { dose } from '../dose.ts'

/** Everything that a first visit loads, as sent. */
const MOST_BYTES = 150 * 1000
/** A search for accessibility problems computes a lot. */
const PATIENCE_MS = 300_000
/** Searched in every look; the others, long tables mostly, in the first look and in long runs. */
const SEARCHED: ReadonlySet<string> = new Set(
  dose(['/help/', '/help/start', '/help/console', '/help/state-machine'], [...LOOKED_AT]),
)
/** Vue sets this once scripts have taken over the page. */
const TAKEN_OVER = 'document.querySelector("#app")?.__vue_app__ !== undefined'

let directory: string
let service: PosthornProcess
let browser: TestBrowser

beforeAll(async () => {
  directory = makeDirectory()
  service = await startService({ dataDir: directory, settings: {} })
  browser = await launchBrowser()
})
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

describe.concurrent('no page has a serious accessibility problem, an error, a request to elsewhere, or overflowing content', () => {
  test.each(LOOKS)('in $scheme colors, $width pixels wide', { timeout: PATIENCE_MS }, async (look) => {
    const context = await browser.openWindow({ baseURL: service.url, ...look })
    const faults = watchPages(context)
    const page = await context.newPage()
    const findings: string[] = []
    for (const url of LOOKED_AT) {
      await open(page, url)
      const isSearched = look === LOOKS[0] || SEARCHED.has(url)
      const found = isSearched ? await graveFindings(page.mainFrame()) : []
      findings.push(...[...found, ...(await overflowOf(page))].map((finding) => `${url}: ${finding}`))
    }
    await context.close()
    expect([...findings, ...faults.seen].join('\n')).toBe('')
  })
})

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: 'load' })
  await page.waitForFunction(TAKEN_OVER)
}

async function overflowOf(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return beyond > 0 ? [`${beyond} px wider than the window`] : []
}

test('the licenses of all packages in the site are there', async () => {
  const text = await (await fetch(`${service.url}/help/licenses.md`)).text()
  const bundled = bundledIn(text).map(({ group, name, licenses }) => ({ group, name, licenses }))
  for (const [group, name] of [
    ['@vue', 'runtime-core'],
    ['@vueuse', 'core'],
    [undefined, 'minisearch'],
    [undefined, 'vitepress'],
  ])
    expect(bundled).toContainEqual({ group, name, licenses: [{ license: { id: 'MIT' } }] })
})

test('the search finds a page without any other server', async () => {
  const context = await browser.openWindow({ baseURL: service.url })
  const faults = watchPages(context)
  const page = await context.newPage()
  await open(page, '/help/')
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
  // Until nothing more is loaded.
  await page.goto('/help/', { waitUntil: 'networkidle' })
  await Promise.all(sent)
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  expect(sizes.size).toBeGreaterThan(4)
  expect(total, JSON.stringify([...sizes])).toBeLessThanOrEqual(MOST_BYTES)
  await context.close()
})
