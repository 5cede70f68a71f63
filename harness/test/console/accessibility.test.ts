import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_SETTINGS, makeDemoWorld } from '../../src/console/demoWorld.ts'
import { type ConsolePage, consolePages, NOBODY, settled } from '../../src/console/pages.ts'
import { type OpenPage, Scene } from '../../src/console/scene.ts'
import { shownDeliveries } from '../../src/console/shownDeliveries.ts'

let scene: Scene
let pages: readonly ConsolePage[]

beforeAll(async () => {
  scene = await Scene.start(DEMO_SETTINGS)
  const world = await makeDemoWorld(scene)
  pages = consolePages(world, await shownDeliveries(world))
}, 120_000)
afterAll(() => scene.stop())

const LOOKS = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 360 },
  { scheme: 'dark', width: 360 },
] as const

describe.each(LOOKS)('$scheme, $width px wide', (look) => {
  test('no page has a serious or critical finding, an error, or a part beyond its edge', {
    timeout: 300_000,
  }, async () => {
    const findings: string[] = []
    for (const as of new Set(pages.map((page) => page.as))) {
      const opened = as === NOBODY ? await scene.open(look) : await scene.signedIn(as, look)
      opened.faults.expectStatus(404)
      for (const { name, path } of pages.filter((page) => page.as === as)) {
        await opened.page.goto(path)
        await settled(opened.page)
        findings.push(...(await findingsOf(opened, name)))
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
