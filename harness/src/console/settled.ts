import type { Page } from 'playwright-core'
import { eventually } from '../support/waiting.ts'
import { consoleFrame } from './consoleFrame.ts'

/** Resolves once the page has its heading and no read is in progress. */
export async function settled(page: Page): Promise<void> {
  const frame = consoleFrame(page)
  await frame.getByRole('heading', { level: 1 }).first().waitFor()
  const loading = frame.getByLabel('Loading', { exact: true })
  await eventually(async () => ((await loading.count()) === 0 ? true : null), {
    withinMs: 20_000,
    what: `end of reading at ${frame.url()}`,
  })
  await frame.evaluate('document.fonts.ready')
}
