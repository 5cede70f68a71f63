import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { focusKept, tabTo } from '../../src/console/keyboard.ts'
import type { Scene } from '../../src/console/scene.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const FOCUSED_MS = 10_000

let scene: Scene
let workspace: WorkspaceClient

beforeAll(async () => {
  scene = await startScene()
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

test('with the keyboard a user signs in, adds a webhook, tests it, and redelivers', async () => {
  const { page, context, faults } = await scene.open()
  const { keyboard } = page
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(await scene.signInLink(OWNER))
  await tabTo(page, button('Sign in'))
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()

  await tabTo(page, page.getByRole('link', { name: 'Add a webhook' }))
  await keyboard.press('Enter')
  await tabTo(page, page.getByRole('textbox', { name: 'URL' }))
  await keyboard.type(scene.receiver.urlOf('/hook'))
  await tabTo(page, page.getByLabel('Description'))
  await keyboard.type('Typed without a mouse')
  await tabTo(page, page.getByRole('textbox', { name: 'Search event types' }))
  await keyboard.type('approved')
  const event = page.getByRole('checkbox', { name: /version\.approved/ })
  await tabTo(page, event)
  await keyboard.press('Space')
  expect(await event.isChecked()).toBe(true)
  await tabTo(page, button('Add webhook'))
  await keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Your webhook is ready' }).waitFor()
  await focusKept(page)
  await tabTo(page, page.getByRole('link', { name: 'Integrations' }).first(), true)
  await keyboard.press('Enter')
  // It asks for confirmation, and Escape stays.
  await page.getByRole('dialog', { name: 'Leave without the secret?' }).waitFor()
  await focusKept(page)
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await focusKept(page)
  const stored = page.getByRole('checkbox', { name: 'I have stored the secret' })
  await tabTo(page, stored)
  await keyboard.press('Space')
  expect(await stored.isChecked()).toBe(true)
  await tabTo(page, button('Send a test'))
  await keyboard.press('Enter')
  await page.getByText('Delivered: 204 No Content').waitFor()
  await focusKept(page)

  await tabTo(page, page.getByRole('link', { name: 'Deliveries', exact: true }), true)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  await tabTo(page, page.getByRole('link', { name: 'webhook.test' }))
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'webhook.test', level: 1 }).waitFor()
  await tabTo(page, button('Redeliver event'))
  await keyboard.press('Space')
  await page.getByRole('heading', { name: '2 attempts' }).waitFor()
  await focusKept(page)
  expect(scene.receiver.received.filter(({ path }) => path === '/hook')).toHaveLength(2)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a dialog takes the focus, keeps it, and returns it to the button that opened it', async () => {
  const { id } = await workspace.createWebhook(scene.receiver.urlOf('/dialogs'), ['version.approved'])
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/webhooks/${id}`)
  for (const [name, title] of [
    ['Rotate secret', /secret/],
    ['Disable webhook', /^Disable the webhook 127/],
    ['Delete webhook', /^Delete the webhook 127/],
  ] as const) {
    const opener = page.getByRole('button', { name, exact: true })
    await tabTo(page, opener)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.waitFor()
    await hasFocus(dialog, `the dialog of ${name}`)
    for (let stop = 0; stop < 8; stop++) {
      await page.keyboard.press('Tab')
      expect(await dialog.evaluate(holdsFocus), `${name}, stop ${stop}`).toBe(true)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await hasFocus(opener, `the button ${name}`)
  }
  // The element that got the focus back can be reached again.
  await tabTo(page, page.getByRole('button', { name: 'Rotate secret', exact: true }), true)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a button or form that disappears after its work leaves the focus at its place', async () => {
  const { id } = await workspace.createWebhook(scene.receiver.urlOf('/forms'), ['version.approved'])
  const { page, context, faults } = await scene.signedIn(OWNER)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(`/w/${workspace.id}/webhooks/${id}`)
  // The content of a dialog may load after it has opened and taken the focus.
  let load = () => {}
  const opened = new Promise<void>((resolve) => {
    load = resolve
  })
  await page.route(/PauseQuestion/, async (route) => {
    await opened
    await route.continue()
  })
  await tabTo(page, button('Pause webhook'))
  await page.keyboard.press('Enter')
  await hasFocus(page.getByRole('dialog'), 'the dialog that asks')
  load()
  const pauses = page.getByRole('dialog').getByRole('button', { name: 'Pause webhook' })
  await hasFocus(pauses, 'the button that pauses')
  await page.keyboard.press('Enter')
  await page.getByText('The webhook was paused.').waitFor()
  await focusKept(page)
  await tabTo(page, button('Resume webhook'))
  await page.keyboard.press('Enter')
  await page.getByText('The webhook was resumed.').waitFor()
  await focusKept(page)
  await tabTo(page, button('Edit webhook'))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByLabel('Description'))
  await page.keyboard.type('Changed without a mouse')
  await tabTo(page, button('Save changes'))
  await page.keyboard.press('Enter')
  await page.getByText('Saved.').waitFor()
  await focusKept(page)
  await tabTo(page, button('Edit webhook'))
  expect(faults.seen).toEqual([])
  await context.close()
})

test('menus and filters can be used with the arrow keys', async () => {
  const ads = await scene.workspace('ads', 'acme-ads', 'Acme Ads')
  await scene.member(ads, OWNER, 'owner', 'Mira Keller')
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/deliveries`)
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  await tabTo(page, page.getByRole('button', { name: 'failed', exact: true }))
  await page.keyboard.press('Space')
  await page.waitForURL(/status=failed/)
  await focusKept(page)
  await tabTo(page, page.getByRole('combobox', { name: 'Event type' }))
  await page.keyboard.press('ArrowDown')
  await page.waitForURL(/type=[a-z_]+\./)
  await focusKept(page)

  await tabTo(page, page.getByRole('button', { name: 'Workspace: Acme Stories. Switch workspace' }), true)
  await page.keyboard.press('Enter')
  const other = page.getByRole('menuitem', { name: 'Acme Ads' })
  await other.waitFor()
  for (let step = 0; step < 4; step++) {
    if (await other.evaluate((element) => element === element.ownerDocument.activeElement)) break
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  await focusKept(page)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('an operator signs in with the admin token from the keyboard', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/sign-in')
  await tabTo(page, page.getByRole('button', { name: 'Sign in with the admin token' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByLabel('Admin token'))
  await page.keyboard.type(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await focusKept(page)
  expect(faults.seen).toEqual([])
  await context.close()
})

const hasFocus = (target: Locator, what: string) =>
  eventually(async () => ((await target.evaluate(holdsFocus)) ? true : null), {
    withinMs: FOCUSED_MS,
    what: `focus on ${what}`,
  })

const holdsFocus = (element: {
  contains(other: unknown): boolean
  ownerDocument: { activeElement: unknown }
}) => element.contains(element.ownerDocument.activeElement)
