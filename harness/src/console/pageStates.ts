import type { Page } from 'playwright-core'
import { consoleFrame } from './consoleFrame.ts'
import type { HostSite } from './hostSite.ts'
import { settled } from './settled.ts'

/** Width of a window in which the menu at the left is hidden. */
const NARROW = 360

/** Brings a page into a state that has no address of its own. */
export type Reach = (page: Page) => Promise<void>

/** Runs steps one after the other. */
export const inTurn =
  (...steps: readonly Reach[]): Reach =>
  async (page) => {
    for (const step of steps) await step(page)
  }

/** Presses a button that opens a dialog. */
export const opensDialog =
  (button: string | RegExp): Reach =>
  async (page) => {
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    await settled(page)
  }

/** Opens a menu at the left, also in a narrow window, where it is hidden at first. */
export const opensMenu =
  (button: string | RegExp): Reach =>
  async (page) => {
    const size = page.viewportSize()!
    await page.setViewportSize({ ...size, width: NARROW })
    await page.getByRole('button', { name: 'Open the menu' }).click()
    await page.setViewportSize(size)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('menu').waitFor()
  }

/** Adds an operator with faked answers, since an address can be added only once. */
export const addsOperator: Reach = async (page) => {
  const added = {
    ...{ id: 'opr_new', email: 'otto.brandt@posthorn.example', name: 'Otto Brandt' },
    ...{ from_provider: false, created_at: new Date().toISOString() },
  }
  await page.route(/\/admin\/v1\/operators(\?|$)/, async (route) => {
    if (route.request().method() === 'POST') return route.fulfill({ status: 201, json: added })
    const response = await route.fetch()
    const list = (await response.json()) as { readonly data: readonly object[] }
    return route.fulfill({ response, json: { ...list, data: [...list.data, added] } })
  })
  await page.getByRole('button', { name: 'Add an operator' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an operator' })
  await dialog.getByLabel('Name').fill(added.name)
  await dialog.getByLabel('E-mail address').fill(added.email)
  await dialog.getByRole('button', { name: 'Add operator', exact: true }).click()
  await page.getByText(`${added.name} can now sign in as an operator`).waitFor()
  await dialog.waitFor({ state: 'hidden' })
  await settled(page)
}

/** Enters a profile that has an error and a warning. */
export const writesWrongProfile: Reach = async (page) => {
  const editor = page.getByRole('textbox', { name: 'Profile as JSON' })
  await editor.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(WRONG_PROFILE)
  await page
    .getByRole('button', { name: /^Error in line / })
    .first()
    .waitFor()
  await settled(page)
}

const WRONG_PROFILE = JSON.stringify(
  { profile: 1, name: 'Billing', title: 'Billing', signature: [], catalog: { open: true } },
  null,
  2,
)

/** Signs in with a wrong token. */
export const refusedToken: Reach = async (page) => {
  await page.getByRole('button', { name: 'Sign in with the admin token' }).click()
  await page.getByLabel('Admin token').fill('mistyped')
  await page.getByRole('button', { name: 'Sign in as operator' }).click()
  await page.getByRole('alert').waitFor()
}

/** Expands the first of several. */
export const unfolds =
  (button: string): Reach =>
  async (page) => {
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await settled(page)
  }

/** Adds a webhook; the page then shows its secret. */
export const addsWebhook =
  (url: string): Reach =>
  async (page) => {
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(url)
    const groups = page.getByRole('checkbox', { name: /^All event types of / })
    if ((await groups.count()) > 0) await groups.first().check()
    await page.getByRole('button', { name: /^Add (webhook|endpoint)$/ }).click()
    await page.getByLabel('I have stored the secret').waitFor()
    await settled(page)
  }

/** Confirms that the secret is stored, so that the page can be left. */
export const storesSecret: Reach = (page) => page.getByLabel('I have stored the secret').check()

/** In the dialog that creates a consumer: selects some event types, and omits the name. */
export const choosesEvents: Reach = async (page) => {
  await page.getByRole('radio', { name: 'Only selected event types' }).check()
  await page.getByRole('textbox', { name: 'Search event types' }).waitFor()
  await page.getByRole('button', { name: 'Create consumer' }).click()
  await page.getByText('Enter a name.').waitFor()
  await settled(page)
}

/** In the dialog that moves a consumer: enters a time in the future. */
export const choosesTime: Reach = async (page) => {
  await page.getByRole('radio', { name: 'Events since a time' }).check()
  await page.getByLabel('Time, in your time zone').fill('2099-03-14T09:30')
  await page.getByRole('button', { name: 'Move consumer', exact: true }).click()
  await page.getByText('This time is in the future').waitFor()
  await settled(page)
}

/** Follows a link away from a page that then asks for confirmation. */
export const leavesBy =
  (link: string): Reach =>
  async (page) => {
    await page.getByRole('main').getByRole('link', { name: link }).first().click()
    await page.getByRole('dialog').waitFor()
  }

/** Selects all selectable rows. */
export const selectsAll: Reach = async (page) => {
  await page.getByRole('checkbox', { name: /^Select all/ }).check()
  await page.getByRole('region', { name: /^Selected/ }).waitFor()
}

/** Saves a webhook's form with a faked conflicting change by another person. */
export const collides: Reach = async (page) => {
  await page.getByRole('button', { name: 'Edit webhook', exact: true }).click()
  await page.getByLabel('Description').fill('Drafts of the whole team')
  await page.route(/\/v1\/workspaces\/[^/]+\/webhooks\/[^/?]+$/, async (route) => {
    const saves = route.request().method() === 'PATCH'
    const headers = { ...route.request().headers(), ...(saves ? { 'if-match': '"older"' } : {}) }
    const response = await route.fetch({ headers })
    if (saves) return route.fulfill({ response })
    await route.fulfill({ response, json: { ...(await response.json()), description: 'Drafts to review' } })
  })
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'Someone else changed this webhook' }).waitFor()
}

/** Ends the session, which the page notices by the request of this button. */
export const endsSession =
  (button: string): Reach =>
  async (page) => {
    await page.route(/\/v1\//, (route) => route.fulfill({ status: 401, json: {} }))
    const frame = consoleFrame(page)
    await frame.getByRole('button', { name: button, exact: true }).click()
    await frame.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  }

/**
 * Copies the path of a field, first successfully, then where the browser forbids copying. Both messages stay
 * visible.
 */
export const copiesTwice: Reach = async (page) => {
  await page.evaluate(MESSAGES_STAY)
  const fields = page.getByRole('treeitem')
  await fields.nth(1).click()
  await page.getByText(/^Copied /).waitFor()
  await page.evaluate(COPYING_REFUSED)
  await fields.nth(2).click()
  await page.getByText('Your browser blocked copying').waitFor()
}

/** Messages disappear by timers of seconds. */
const MESSAGES_STAY = `{
  const { setTimeout } = window
  window.setTimeout = (callback, ms, ...rest) => (ms >= 4_000 ? 0 : setTimeout(callback, ms, ...rest))
}`
const COPYING_REFUSED = 'navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))'

/** Reloads the page with another answer to one of its reads, for states that are too short to look at. */
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

/** Follows a single-use link. */
export const follows =
  (link: () => Promise<string>): Reach =>
  async (page) => {
    // From the same path it would only change the fragment.
    await page.goto('about:blank')
    await page.goto(await link())
    await settled(page)
  }

/** Opens a product's page, which embeds the target of a single-use link. */
export const framedBy =
  (product: HostSite, link: () => Promise<string>): Reach =>
  async (page) => {
    await page.goto(product.pageAround(await link()))
    await consoleFrame(page).getByRole('link', { name: 'Deliveries', exact: true }).waitFor()
    await settled(page)
  }

/** Goes to another page inside a frame. */
export const goesInFrame =
  (link: string): Reach =>
  async (page) => {
    const frame = consoleFrame(page)
    await frame.getByRole('link', { name: link, exact: true }).click()
    await frame.getByRole('heading', { name: link, level: 1 }).waitFor()
    await settled(page)
  }
