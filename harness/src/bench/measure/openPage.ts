import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { launchBrowser } from '../../browser/browser.ts'
import type { TestBrowser } from '../../browser/testBrowser.ts'
import { settled } from '../../console/settled.ts'
import { type Faults, watchPages } from '../../console/watchPages.ts'
import { Api } from '../../support/http.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { Measurements } from '../frame/scenario.ts'
import { summarize } from '../frame/statistics.ts'

const OWNER = 'owner@bench.example'
/** Pause between actions of the person at the page. */
const REST_MS = 500
/** Browsers report no interaction that was painted sooner. */
const SOONEST_PAINT_MS = 16

/** Records in the page what its user feels: long tasks, time from input to paint, time without a frame. */
const WATCH = `(() => {
  const watched = { tasks: [], interactions: {}, gaps: [], last: performance.now() }
  window.watched = watched
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.tasks.push(duration)
  }).observe({ type: 'longtask' })
  new PerformanceObserver((list) => {
    for (const { interactionId: id, duration } of list.getEntries())
      if (id) watched.interactions[id] = Math.max(watched.interactions[id] ?? 0, duration)
  }).observe({ type: 'event', durationThreshold: ${SOONEST_PAINT_MS} })
  const frame = (now) => {
    watched.gaps.push(now - watched.last)
    watched.last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})()`

interface Watched {
  readonly tasks: readonly number[]
  /** By the browser's interaction id. */
  readonly interactions: Readonly<Record<string, number>>
  readonly gaps: readonly number[]
}

/** The page with a workspace's deliveries, in its own browser, with a member signed in. */
export class OpenPage {
  readonly #browser: TestBrowser
  readonly #page: Page
  readonly #cdp: CDPSession
  readonly #faults: Faults

  private constructor(browser: TestBrowser, page: Page, cdp: CDPSession, faults: Faults) {
    this.#browser = browser
    this.#page = page
    this.#cdp = cdp
    this.#faults = faults
  }

  static async open(url: string, workspaceId: string): Promise<OpenPage> {
    const browser = await launchBrowser()
    try {
      const context = await browser.openWindow({ baseURL: url, motion: true })
      const faults = watchPages(context)
      await signIn(context, url, workspaceId)
      const page = await context.newPage()
      await page.goto(`/w/${workspaceId}/deliveries`)
      await settled(page)
      return new OpenPage(browser, page, await context.newCDPSession(page), faults)
    } catch (error) {
      await browser.close()
      throw error
    }
  }

  /** Forbidden things that the page did. */
  get faults(): readonly string[] {
    return this.#faults.seen
  }

  /** Scrolls and filters for a while, as a person who searches, and ends at the newest rows. */
  async use(seconds: number): Promise<Measurements> {
    const heapAtStart = await this.#heapMb()
    await this.#page.evaluate(WATCH)
    const filterMs: number[] = []
    const until = performance.now() + seconds * 1000
    let interactions = 0
    for (let turn = 0; performance.now() < until; turn++) {
      await this.#scroll()
      filterMs.push(await this.#filter(turn + 1))
      interactions += 1
    }
    await this.#filter(0)
    interactions += 1
    const watched = await this.#page.evaluate<Watched>('window.watched')
    const painted = Object.values(watched.interactions)
    const sooner = Array.from({ length: Math.max(0, interactions - painted.length) }, () => SOONEST_PAINT_MS)
    return {
      longestTaskMs: Math.max(0, ...watched.tasks),
      tasksOver200: watched.tasks.filter((ms) => ms > 200).length,
      paintP50Ms: summarize([...painted, ...sooner])!.median,
      worstPaintMs: Math.max(0, ...painted),
      worstFrameMs: Math.max(...watched.gaps),
      filterMs: summarize(filterMs)!.median,
      worstFilterMs: Math.max(...filterMs),
      rows: await this.#page.getByRole('row').count(),
      heapAtStartMb: heapAtStart,
      heapAtEndMb: await this.#heapMb(),
    }
  }

  close(): Promise<void> {
    return this.#browser.close()
  }

  async #scroll(): Promise<void> {
    await this.#page.getByRole('main').getByRole('heading', { level: 1 }).hover()
    for (const delta of [900, 900, -1800]) {
      await this.#page.mouse.wheel(0, delta)
      await sleep(REST_MS)
    }
  }

  /** Clicks one state after another; the first is any. @returns how long the list took to appear */
  async #filter(turn: number): Promise<number> {
    const states = this.#page.getByRole('group', { name: 'State' }).getByRole('button')
    const state = states.nth(turn % (await states.count()))
    const startedAt = performance.now()
    await state.click()
    await settled(this.#page)
    const ms = performance.now() - startedAt
    await sleep(REST_MS)
    return ms
  }

  /** JavaScript heap after a garbage collection. */
  async #heapMb(): Promise<number> {
    await this.#cdp.send('HeapProfiler.collectGarbage')
    return (await this.#cdp.send('Runtime.getHeapUsage')).usedSize / 1e6
  }
}

async function signIn(context: BrowserContext, url: string, workspaceId: string): Promise<void> {
  const api = new Api(() => url)
  const body = { email: OWNER, name: 'Owner', role: 'owner' }
  await api.post(`/admin/v1/workspaces/${workspaceId}/members`, { token: ADMIN_TOKEN, body })
  const link = await api.post<{ url: string }>('/admin/v1/sign-in-links', {
    token: ADMIN_TOKEN,
    body: { email: OWNER },
  })
  const token = new URL(link.url).hash.slice(1)
  const answer = await context.request.post('/console/v1/session', {
    data: { token },
    headers: { origin: url },
  })
  if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`)
}
