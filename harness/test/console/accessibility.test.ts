import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_SETTINGS, makeDemoWorld } from '../../src/console/demoWorld.ts'
import { allConsolePages, type ConsolePage, NOBODY, visit } from '../../src/console/pages.ts'
import { type OpenPage, Scene } from '../../src/console/scene.ts'
import { shownDeliveries } from '../../src/console/shownDeliveries.ts'

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

describe.each(LOOKS)('$scheme, $width px wide', (look) => {
  test('no page has a serious or critical finding, an error, or a part beyond its edge', {
    timeout: 600_000,
  }, async () => {
    const findings: string[] = []
    for (const as of new Set(pages.map((page) => page.as))) {
      const opened = as === NOBODY ? await scene.open(look) : await scene.signedIn(as, look)
      opened.faults.expectStatus(404)
      for (const page of pages.filter((page) => page.as === as)) {
        await visit(opened.page, page)
        findings.push(...(await findingsOf(opened, page.name)))
      }
      findings.push(...opened.faults.seen)
      await opened.context.close()
    }
    expect(findings).toEqual([])
  })
})

async function findingsOf({ page }: OpenPage, name: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return [
    ...grave.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${name}: ${id}: ${html}: ${failureSummary}`),
    ),
    ...(beyond > 0 ? [`${name}: ${beyond} px wider than the window`] : []),
  ]
}
