import path from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import type { Look } from '../browser/testBrowser.ts'
import { type ConsolePage, REFUSALS, SIGNED_OUT, visit } from '../console/pages.ts'
import type { Scene } from '../console/scene.ts'
import { settled } from '../console/settled.ts'

/** Longer pages only continue in the same way. */
const MAX_HEIGHT = 1_300

/** Makes the window as high as its page, since some parts render only when they become visible. */
async function showWhole(page: Page, { width = 0, height = 0 }: Look): Promise<void> {
  const needed = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height: Math.min(MAX_HEIGHT, Math.max(height, needed)) })
  await settled(page)
}

interface Drawing {
  readonly scene: Scene
  readonly pages: readonly ConsolePage[]
  readonly directory: string
  /** Part of file names, see {@link fileOf}. */
  readonly suffix: string
  readonly look: Look
}

/** The file of a page's picture. */
export const fileOf = (name: string, suffix: string): string => `${name}-${suffix}.webp`

/** Draws the pages as their viewers see them. @returns the faults of the pages */
export async function drawPictures({ scene, pages, directory, suffix, look }: Drawing): Promise<string[]> {
  const faultsSeen: string[] = []
  for (const as of new Set(pages.map((page) => page.as))) {
    const { page, context, faults } =
      as === SIGNED_OUT ? await scene.open(look) : await scene.signedIn(as, look)
    faults.expectStatus(...REFUSALS)
    for (const shown of pages.filter((one) => one.as === as)) {
      await page.setViewportSize({ width: look.width ?? 0, height: look.height ?? 0 })
      await visit(page, shown)
      await showWhole(page, look)
      const picture = await page.screenshot({ animations: 'disabled' })
      await sharp(picture)
        .webp({ nearLossless: true, quality: 60, effort: 6 })
        .toFile(path.join(directory, fileOf(shown.name, suffix)))
    }
    faultsSeen.push(...faults.seen)
    await context.close()
  }
  return faultsSeen
}
