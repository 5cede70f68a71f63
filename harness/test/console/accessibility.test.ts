import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_SETTINGS, makeDemoWorld } from '../../src/console/demoWorld.ts'
import { allConsolePages, type ConsolePage, NOBODY, visit } from '../../src/console/pages.ts'
import { type OpenPage, Scene } from '../../src/console/scene.ts'
import { shownDeliveries } from '../../src/console/shownDeliveries.ts'
import { eventually } from '../../src/support/waiting.ts'

let scene: Scene
let pages: readonly ConsolePage[]

beforeAll(async () => {
  scene = await Scene.start(DEMO_SETTINGS)
  const world = await makeDemoWorld(scene)
  pages = allConsolePages(world, await shownDeliveries(world))
}, 120_000)
afterAll(() => scene.stop())

/** What the program in the browser knows of its own routes */
interface KnownRouter {
  readonly routesById: Readonly<Record<string, { readonly id: string; readonly children?: unknown }>>
  getMatchedRoutes(path: string): readonly [unknown, unknown, { readonly id: string } | undefined]
}

test('every route of the console is among the pages that are looked at', async () => {
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
  expect(unseen.ids).toEqual([])
  await context.close()
})

const LOOKS = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 360 },
  { scheme: 'dark', width: 360 },
] as const
type Look = (typeof LOOKS)[number]
const HIGH = 860
const SCHEME = 'document.documentElement.dataset.mantineColorScheme'
/** Colors on their way are none that anybody reads by. */
const FINISH_TRANSITIONS =
  'for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()'

test('no page has a serious or critical finding, an error, or a part beyond its edge, light or dark, wide or narrow', {
  timeout: 900_000,
}, async () => {
  const findings: string[] = []
  for (const as of new Set(pages.map((page) => page.as))) {
    const opened = as === NOBODY ? await scene.open() : await scene.signedIn(as)
    opened.faults.expectStatus(404)
    for (const page of pages.filter((page) => page.as === as)) {
      await showIn(opened, LOOKS[0])
      await visit(opened.page, page)
      for (const look of LOOKS) {
        await showIn(opened, look)
        findings.push(...(await findingsOf(opened, `${page.name}, ${look.scheme}, ${look.width} px`)))
      }
    }
    findings.push(...opened.faults.seen)
    await opened.context.close()
  }
  expect(findings).toEqual([])
})

/** As a person's machine turns dark, or its window narrow, around a page that is open. */
async function showIn({ page }: OpenPage, { scheme, width }: Look): Promise<void> {
  await page.setViewportSize({ width, height: HIGH })
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  if (page.url() === 'about:blank') return
  await eventually(async () => ((await page.evaluate<string>(SCHEME)) === scheme ? true : null), {
    withinMs: 10_000,
    what: `the colors of ${scheme}`,
  })
  await page.evaluate(FINISH_TRANSITIONS)
}

async function findingsOf({ page }: OpenPage, name: string): Promise<string[]> {
  // Its way for frames of other origins opens another page each time.
  const withFrames = page.frames().length > 1
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(!withFrames).analyze()
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return [
    ...grave.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${name}: ${id}: ${html}: ${failureSummary}`),
    ),
    ...(beyond > 0 ? [`${name}: ${beyond} px wider than the window`] : []),
  ]
}
