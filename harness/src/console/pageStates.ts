import type { Page } from 'playwright-core'
import { settled } from './settled.ts'

/** Leads from the address of a page to a state of it that no address names. */
export type Reach = (page: Page) => Promise<void>

/** Presses a button that opens a dialog. */
export const opensDialog =
  (button: string): Reach =>
  async (page) => {
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    await settled(page)
  }

/** Unfolds the first of several. */
export const unfolds =
  (button: string): Reach =>
  async (page) => {
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await settled(page)
  }

/** Adds a webhook, whose secret then stands on the page. It counts as stored, so that the page can be left. */
export const addsWebhook =
  (url: string): Reach =>
  async (page) => {
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(url)
    const groups = page.getByRole('checkbox', { name: /^All events of / })
    if ((await groups.count()) > 0) await groups.first().check()
    await page.getByRole('button', { name: /^Add (webhook|endpoint)$/ }).click()
    await page.getByLabel('I have stored it').check()
    await settled(page)
  }

/** Shows the page anew with another answer to one of its reads: for states that are over before anybody can look. */
export const answered =
  (address: string | RegExp, change: (json: Readonly<Record<string, unknown>>) => object): Reach =>
  async (page) => {
    await page.route(address, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: change(await response.json()) })
    })
    await page.reload()
    await settled(page)
  }

/** Goes where a link leads that is good for one visit. */
export const follows =
  (link: () => Promise<string>): Reach =>
  async (page) => {
    // From the same path it would only change what stands behind the `#`.
    await page.goto('about:blank')
    await page.goto(await link())
    await settled(page)
  }
