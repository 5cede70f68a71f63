import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Look } from '../browser/testBrowser.ts'
import { consolePages } from '../console/pages.ts'
import { Scene } from '../console/scene.ts'
import { shownDeliveries } from '../console/shownDeliveries.ts'
import { makeDirectory, removeDirectory } from '../support/tempDirectory.ts'
import { WalkingClock } from '../support/walkingClock.ts'
import { indexPage } from './indexPage.ts'
import { drawPictures, fileOf } from './pictures.ts'
import { shownPictures } from './shownPictures.ts'
import { Customers } from './week/customers.ts'
import { customerSites } from './week/sites.ts'
import { liveAWeek } from './week/week.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DIRECTORY = path.join(ROOT, 'screenshots')

const LOOKS: Readonly<Record<string, Look>> = {
  light: { scheme: 'light', width: 1280, height: 860 },
  dark: { scheme: 'dark', width: 1280, height: 860 },
  narrow: { scheme: 'light', width: 360, height: 780 },
}

const isDrawn = (name: string) =>
  Object.keys(LOOKS).every((suffix) => existsSync(path.join(DIRECTORY, fileOf(name, suffix))))

/** When the first workspace was created. */
const BEGINS_DAYS_AGO = 64

// Draws every page of the console: light, dark and narrow. Command line arguments select pages. Pictures that the
// documentation shows replace the older ones there.
const wanted = process.argv.slice(2)
const ownDirectory = makeDirectory()
const nowMs = Date.now()
const clock = new WalkingClock(ownDirectory, nowMs - BEGINS_DAYS_AGO * 86_400_000)
const sites = customerSites(() => nowMs - clock.now())
const customers = await Customers.start(sites, ownDirectory)
const scene = await Scene.start({ ...customers.settings, ...clock.settings })
try {
  const world = await liveAWeek(scene, clock, customers, nowMs)
  await scene.restart(customers.settings)
  const pages = consolePages(world, await shownDeliveries(world))
  const chosen = wanted.length === 0 ? pages : pages.filter(({ name }) => wanted.includes(name))
  if (wanted.length === 0) rmSync(DIRECTORY, { recursive: true, force: true })
  mkdirSync(DIRECTORY, { recursive: true })
  const drawn = Object.entries(LOOKS).map(async ([suffix, look]) => {
    const faults = await drawPictures({ scene, pages: chosen, directory: DIRECTORY, suffix, look })
    for (const fault of faults) process.stderr.write(`${suffix}: ${fault}\n`)
  })
  await Promise.all(drawn)
  // If only some pages were drawn now, others may have no picture yet.
  const names = pages.map(({ name }) => name).filter(isDrawn)
  writeFileSync(path.join(DIRECTORY, 'README.md'), indexPage(names, Object.keys(LOOKS)))
  for (const picture of shownPictures()) {
    const drawn = path.join(DIRECTORY, path.basename(picture))
    if (existsSync(drawn)) copyFileSync(drawn, path.join(ROOT, picture))
  }
  process.stdout.write(
    `${chosen.length * Object.keys(LOOKS).length} pictures in ${path.relative(process.cwd(), DIRECTORY)}\n`,
  )
} finally {
  await scene.stop()
  await customers.stop()
  removeDirectory(ownDirectory)
}
