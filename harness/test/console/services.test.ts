import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import { startScene } from './startScene.ts'

const PROFILE = {
  profile: 1,
  name: 'billing',
  title: 'Billing',
  headers: {
    'x-billing-id': '{id}',
    'x-billing-time': '{timestamp}',
    'x-billing-signature': '{signatures}',
  },
  catalog: {
    types: [{ type: 'invoice.paid', title: 'Invoice paid', example: { invoice: 'inv_1', amount: 4900 } }],
  },
}
const WRONG = { ...PROFILE, headers: { ...PROFILE.headers, 'x-billing-time': '{time}' } }

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const editor = (page: Page) => page.getByRole('textbox', { name: 'Profile as JSON' })

/** Pastes a text into the editor. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await editor(page).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Control+V')
}

const pasted = (profile: object) => JSON.stringify(profile, null, 2)
/** Waits until the editor has the focus. */
const focused = (page: Page) => page.locator('.cm-content:focus').waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Opens the suggestions; typing does not open them on a slow page, and the key only after parsing. */
async function complete(page: Page, name: string): Promise<void> {
  const option = page.getByRole('option', { name })
  const offered = async () => {
    await page.keyboard.press('Control+Space')
    return option.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => null,
    )
  }
  await eventually(offered, { withinMs: 90_000, what: `suggestion ${name}` })
  await option.click()
}

test('an operator adds a service from a pasted profile, fixes an error at its line, edits it and removes it', async () => {
  const { page, context, faults } = await scene.signedIn(null)
  await page.goto('/operator')
  await page.getByRole('link', { name: 'Services', exact: true }).click()
  await page.getByRole('listitem').filter({ hasText: 'Standard Webhooks' }).getByText('built in').waitFor()
  await page.getByRole('link', { name: 'Add a service' }).click()

  // The schema help also works over a selection, which browsers would handle against the
  // Content-Security-Policy.
  await editor(page).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('{"po')
  await complete(page, 'policy')
  await page.keyboard.type('"gone')
  await complete(page, 'gone')
  await complete(page, 'retry')
  expect(await editor(page).innerText()).toBe('{"policy": {"gone": "retry"}}')

  // Invalid JSON is shown at once, and a link leads there.
  await paste(page, pasted(PROFILE).replace('"billing",', '"billing"'))
  await page.getByText('is not JSON: expected comma').waitFor()
  // An error of the service has a line too, and Save jumps to it.
  await paste(page, pasted(WRONG))
  const line =
    pasted(WRONG)
      .split('\n')
      .findIndex((text) => text.includes('{time}')) + 1
  const error = page.getByRole('button', { name: `Error in line ${line}` })
  await error.waitFor()
  await page.getByText('/headers/x-billing-time').waitFor()
  await page.getByText('Fix the errors to see what receivers get.').waitFor()
  await button(page, 'Add service').click()
  await page.getByRole('alert').getByText('Not saved.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/operator/new-service')
  await error.click()
  await focused(page)
  // The cursor is at the start of the member.
  await page.keyboard.press('End')
  for (let i = 0; i < '{time}",'.length; i++) await page.keyboard.press('Backspace')
  await page.keyboard.insertText('{timestamp}",')

  await page.getByRole('status').filter({ hasText: 'No errors' }).waitFor()
  const headers = page.getByRole('table', { name: 'Request headers' })
  await headers.getByRole('row', { name: 'x-billing-signature' }).getByText(/^v1,/).waitFor()
  await page
    .getByText(/"invoice": "inv_1"/)
    .first()
    .waitFor()
  await button(page, 'Add service').click()
  await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  await page.getByRole('definition').filter({ hasText: /^1$/ }).waitFor()
  await page.getByText('--profile billing').waitFor()

  // Leaving with changes asks for confirmation.
  await page.getByRole('link', { name: 'Edit service', exact: true }).click()
  await page.getByRole('heading', { name: 'Edit Billing', level: 1 }).waitFor()
  await paste(page, pasted({ ...PROFILE, title: 'Billing and invoices' }))
  await page.getByRole('link', { name: 'Cancel' }).click()
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
  await leaving.getByRole('button', { name: 'Stay on page' }).click()
  await leaving.waitFor({ state: 'hidden' })

  // Another user saves first.
  await scene.api.put('/admin/v1/services/billing', {
    token: ADMIN_TOKEN,
    body: { ...PROFILE, title: 'Accounts' },
  })
  faults.expectStatus(412, 409)
  await button(page, 'Save changes').click()
  await page.getByRole('alert').filter({ hasText: 'They saved version 2' }).waitFor()
  await button(page, 'Overwrite with my changes').click()
  await page.getByRole('heading', { name: 'Billing and invoices', level: 1 }).waitFor()
  await page.getByRole('definition').filter({ hasText: /^3$/ }).waitFor()

  // A published type is locked: the error is shown at its position.
  await page.getByRole('link', { name: 'Edit service', exact: true }).click()
  await editor(page).waitFor()
  await paste(page, pasted({ ...PROFILE, catalog: { types: [{ type: 'invoice.sent', title: 'Sent' }] } }))
  await page.getByText(/removes the published type invoice\.paid/).waitFor()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await leaving.getByRole('button', { name: 'Leave page' }).click()

  await page.getByRole('heading', { name: 'Billing and invoices', level: 1 }).waitFor()
  const workspace = await scene.api.post<{ readonly id: string }>('/admin/v1/workspaces', {
    token: ADMIN_TOKEN,
    body: { dialect: 'billing', slug: 'acme', name: 'Acme' },
  })
  await button(page, 'Remove service').click()
  const removing = page.getByRole('dialog', { name: 'Remove the service Billing and invoices?' })
  await removing.getByRole('button', { name: 'Remove service' }).click()
  await removing.getByRole('alert').getByText(/acme/).waitFor()
  await scene.api.delete(`/admin/v1/workspaces/${workspace.id}`, { token: ADMIN_TOKEN })
  await removing.getByRole('button', { name: 'Remove service' }).click()
  await page.getByText('Removed the service Billing and invoices').waitFor()
  await page.getByRole('heading', { name: 'Services', level: 1 }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Billing' }).waitFor({ state: 'hidden' })

  await page.getByRole('link', { name: 'Audit log' }).click()
  for (const [deed, title] of [
    ['added', 'Billing'],
    ['changed', 'Accounts'],
    ['removed', 'billing'],
  ]) {
    await page
      .getByRole('listitem')
      .filter({ hasText: `Someone with the admin token ${deed} the service ${title}` })
      .first()
      .waitFor()
  }
  expect(faults.seen).toEqual([])
  await context.close()
})
