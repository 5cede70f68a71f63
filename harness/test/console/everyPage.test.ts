import { afterAll, beforeAll, expect, test } from 'vitest'
import { consoleFrame } from '../../src/console/consoleFrame.ts'
import { DEMO_SETTINGS, makeDemoWorld } from '../../src/console/demoWorld.ts'
import { FirstLoad } from '../../src/console/firstLoad.ts'
import { graveFindings } from '../../src/console/graveFindings.ts'
import { HostSite } from '../../src/console/hostSite.ts'
import {
  allConsolePages,
  type ConsolePage,
  framedPages,
  REFUSALS,
  SIGNED_OUT,
  viewerPages,
  visit,
} from '../../src/console/pages.ts'
import type { OpenPage, Scene } from '../../src/console/scene.ts'
import { shownDeliveries } from '../../src/console/shownDeliveries.ts'
import { eventually } from '../../src/support/waiting.ts'
import { dose } from '../dose.ts'
import { startScene } from './startScene.ts'

let product: HostSite
let scene: Scene
let pages: readonly ConsolePage[]

beforeAll(async () => {
  product = await HostSite.start()
  scene = await startScene({ ...DEMO_SETTINGS, POSTHORN_PORTAL_ORIGINS: product.origin })
  const world = await makeDemoWorld(scene)
  const shown = await shownDeliveries(world)
  pages = [...allConsolePages(world, shown), ...viewerPages(world, shown), ...framedPages(world, product)]
})
afterAll(async () => {
  await scene.stop()
  await product.stop()
})

/** The browser program's own list of routes. */
interface KnownRouter {
  readonly routesById: Readonly<Record<string, { readonly id: string; readonly children?: unknown }>>
  getMatchedRoutes(path: string): readonly [unknown, unknown, { readonly id: string } | undefined]
}

/** Leads to another page, see numbers.test.ts. */
const FORMER = '/w/$ws/figures'

test('every route of the console is among the pages under test', async () => {
  const { page, context } = await scene.open()
  await page.goto('/sign-in')
  const paths = pages.map(({ path }) => new URL(path, scene.url).pathname)
  const unseen = await page.evaluate((seenPaths) => {
    const router = (globalThis as unknown as { __TSR_ROUTER__: KnownRouter }).__TSR_ROUTER__
    const seen = new Set(seenPaths.map((path) => router.getMatchedRoutes(path)[2]?.id))
    const leaves = Object.values(router.routesById).filter(({ children }) => children === undefined)
    return { leaves: leaves.length, ids: leaves.map(({ id }) => id).filter((id) => !seen.has(id)) }
  }, paths)
  expect(unseen.leaves).toBeGreaterThan(10)
  expect(unseen.ids.filter((id) => id !== FORMER)).toEqual([])
  await context.close()
})

interface Look {
  readonly scheme: 'light' | 'dark'
  readonly width: number
}
const LOOKS: readonly Look[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 360 },
  { scheme: 'light', width: 360 },
  { scheme: 'dark', width: 1280 },
]
/** For each page: one of the first two looks in turn, or all. */
const looksAt = (place: number) => dose([LOOKS[place % 2]!], LOOKS)
const HIGH = 860
/** Concurrent windows; more than cores would only wait for each other. */
const WINDOWS = 2

const SCHEME = 'document.documentElement.dataset.mantineColorScheme'
/** Colors during a transition are never read. */
const FINISH_TRANSITIONS =
  'for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()'
const COUNT_OPENED =
  'document.querySelectorAll("[role=dialog], [role=menu], .mantine-Notification-root").length'

test('no page has a serious or critical accessibility problem, an error, overflowing content, or a large first load', {
  timeout: dose(900_000, 3_600_000),
}, async () => {
  const shares = Array.from({ length: WINDOWS }, (_, window) =>
    pages.filter((_, place) => place % WINDOWS === window),
  )
  const findings = await Promise.all(shares.map(lookAtEach))
  expect(findings.flat().join('\n')).toBe('')
})

async function lookAtEach(pages: readonly ConsolePage[]): Promise<string[]> {
  const findings: string[] = []
  for (const as of new Set(pages.map((page) => page.as))) {
    const opened = as === SIGNED_OUT ? await scene.open() : await scene.signedIn(as)
    opened.faults.expectStatus(...REFUSALS)
    for (const page of pages.filter((page) => page.as === as)) findings.push(...(await lookAt(opened, page)))
    findings.push(...opened.faults.seen)
    await opened.context.close()
  }
  return findings
}

async function lookAt(opened: OpenPage, shown: ConsolePage): Promise<string[]> {
  const findings: string[] = []
  // Not every state of a page can be reached in a narrow window.
  await turnTo(opened, LOOKS[0]!)
  if (shown.reach === undefined) {
    const load = new FirstLoad(opened.page)
    await visit(opened.page, shown)
    findings.push(...(await load.findings()).map((finding) => `${shown.name}: ${finding}`))
  } else {
    // In its initial state it is like one of those above.
    await visit(opened.page, shown)
  }
  const frame = consoleFrame(opened.page)
  const openedFirst = await frame.evaluate<number>(COUNT_OPENED)
  for (const look of looksAt(pages.indexOf(shown))) {
    await turnTo(opened, look)
    await colorsAre(opened, look)
    const found = await findingsOf(opened)
    findings.push(...found.map((finding) => `${shown.name}, ${look.scheme}, ${look.width} px: ${finding}`))
  }
  const openedLast = await frame.evaluate<number>(COUNT_OPENED)
  if (openedLast !== openedFirst) findings.push(`${shown.name}: ${openedFirst} opened, then ${openedLast}`)
  return findings
}

/** Simulates a change to dark mode or to a narrow window around an open page. */
async function turnTo({ page }: OpenPage, { scheme, width }: Look): Promise<void> {
  await page.setViewportSize({ width, height: HIGH })
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
}

async function colorsAre({ page }: OpenPage, { scheme }: Look): Promise<void> {
  const frame = consoleFrame(page)
  await eventually(async () => ((await frame.evaluate<string>(SCHEME)) === scheme ? true : null), {
    withinMs: 10_000,
    what: `the colors of ${scheme} at ${frame.url()}`,
  })
  await frame.evaluate(FINISH_TRANSITIONS)
}

async function findingsOf({ page }: OpenPage): Promise<string[]> {
  const frame = consoleFrame(page)
  const grave = await graveFindings(frame)
  const beyond = await frame.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return [...grave, ...(beyond > 0 ? [`${beyond} px wider than the window`] : [])]
}
