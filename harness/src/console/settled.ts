import type { Page } from 'playwright-core'
import { eventually } from '../support/waiting.ts'

/** Resolves once the page has its heading and nothing is being read any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  const loading = page.getByLabel('Loading', { exact: true })
  await eventually(async () => ((await loading.count()) === 0 ? true : null), {
    withinMs: 20_000,
    what: `end of reading at ${page.url()}`,
  })
  await page.evaluate('document.fonts.ready')
}
