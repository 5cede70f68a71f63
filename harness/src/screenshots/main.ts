import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { DEMO_SETTINGS, makeDemoWorld } from '../console/demoWorld.ts'
import { consolePages, NOBODY, settled } from '../console/pages.ts'
import { type Look, Scene } from '../console/scene.ts'
import { shownDeliveries } from '../console/shownDeliveries.ts'

const DIRECTORY = fileURLToPath(new URL('../../../docs/console', import.meta.url))

const LOOKS: Readonly<Record<string, Look>> = {
  light: { scheme: 'light', width: 1280, height: 860 },
  dark: { scheme: 'dark', width: 1280, height: 860 },
  narrow: { scheme: 'light', width: 360, height: 780 },
}

/** What is longer than this goes on as it began. */
const MAX_HEIGHT = 1_300

/** Makes the window as high as its page, since some parts are drawn only once they come into sight. */
async function showWhole(page: Page, { width = 0, height = 0 }: Look): Promise<void> {
  const needed = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height: Math.min(MAX_HEIGHT, Math.max(height, needed)) })
  await settled(page)
}

// Draws every page of the console into docs/console: light, dark and narrow. Words on the command line name pages.
const wanted = process.argv.slice(2)
const scene = await Scene.start(DEMO_SETTINGS)
try {
  const world = await makeDemoWorld(scene)
  const pages = consolePages(world, await shownDeliveries(world))
  const chosen = wanted.length === 0 ? pages : pages.filter(({ name }) => wanted.includes(name))
  if (wanted.length === 0) rmSync(DIRECTORY, { recursive: true, force: true })
  mkdirSync(DIRECTORY, { recursive: true })
  for (const [look, how] of Object.entries(LOOKS)) {
    for (const as of new Set(chosen.map((page) => page.as))) {
      const { page, context, faults } = as === NOBODY ? await scene.open(how) : await scene.signedIn(as, how)
      faults.expectStatus(404)
      for (const { name, path: address } of chosen.filter((one) => one.as === as)) {
        await page.setViewportSize({ width: how.width ?? 0, height: how.height ?? 0 })
        await page.goto(address)
        await settled(page)
        await showWhole(page, how)
        const file = path.join(DIRECTORY, `${name}-${look}.png`)
        await page.screenshot({ path: file, animations: 'disabled' })
      }
      for (const fault of faults.seen) process.stderr.write(`${look}: ${fault}\n`)
      await context.close()
    }
  }
  process.stdout.write(
    `${chosen.length * Object.keys(LOOKS).length} pictures in ${path.relative(process.cwd(), DIRECTORY)}\n`,
  )
} finally {
  await scene.stop()
}
