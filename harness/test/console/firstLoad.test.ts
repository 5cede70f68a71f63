import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_SETTINGS, makeDemoWorld } from '../../src/console/demoWorld.ts'
import { allConsolePages, type ConsolePage, NOBODY } from '../../src/console/pages.ts'
import type { OpenPage, Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import { shownDeliveries } from '../../src/console/shownDeliveries.ts'
import { startScene } from './startScene.ts'

/** 241 KiB of scripts and styles, and the fonts: 29 KiB that a browser keeps for all further visits. */
const BUDGET_BYTES = 270 * 1024
/**
 * What draws charts comes after everything else, once one of them is in sight; the editor of profiles, once one is edited; the colors of code,
 * after the code is shown without them.
 */
const LATER = /\/assets\/(FiguresPanel|Plot|CodeEditor|ColoredCode)-/

let scene: Scene
let pages: readonly ConsolePage[]

beforeAll(async () => {
  scene = await startScene(DEMO_SETTINGS)
  const world = await makeDemoWorld(scene)
  // What is done on a page comes after its first load.
  pages = allConsolePages(world, await shownDeliveries(world)).filter(({ reach }) => reach === undefined)
}, 120_000)
afterAll(() => scene.stop())

test('no page asks a first visitor for more than 270 KiB, compressed', {
  timeout: 240_000,
}, async () => {
  const tooMuch: string[] = []
  const windows = new Map<ConsolePage['as'], OpenPage>()
  for (const { name, path, as } of pages) {
    const open = () => (as === NOBODY ? scene.open() : scene.signedIn(as))
    const opened = windows.get(as) ?? (await open())
    windows.set(as, opened)
    // What a page asks for it asks for also where the window has it already.
    const page = await opened.context.newPage()
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(request.url()))
    await page.goto(path)
    await settled(page)
    const files = [...asked].filter((url) => url.includes('/assets/') && !LATER.test(url))
    const sizes = await Promise.all(files.map(sentSize))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(files.length).toBeGreaterThan(3)
    if (total > BUDGET_BYTES) tooMuch.push(`${name}: ${total} bytes`)
    await page.close()
  }
  await Promise.all([...windows.values()].map(({ context }) => context.close()))
  expect(tooMuch.join('\n')).toBe('')
})

async function sentSize(url: string): Promise<number> {
  const response = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
  // Fonts are compressed already.
  expect(response.headers.get('content-encoding'), url).toBe(url.endsWith('.woff2') ? null : 'gzip')
  const size = Number(response.headers.get('content-length'))
  expect(size, `content-length of ${url}`).toBeGreaterThan(0)
  return size
}
