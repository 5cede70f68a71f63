import { createReceiver } from '@posthorn/receiver'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Received } from '../../src/console/receiver.ts'
import type { OpenPage, Scene } from '../../src/console/scene.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const COLLEAGUE = 'jonas@acme.example'
const TYPED = 'Half a thought, and the other half'
const PRIVATE = 'Not meant for Jonas'
const NOTICED_MS = 60_000

let scene: Scene
let workspace: WorkspaceClient
let webhook: { readonly id: string }

beforeAll(async () => {
  scene = await startScene()
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  await scene.member(workspace, COLLEAGUE, 'viewer', 'Jonas Weber')
  webhook = await workspace.createWebhook(scene.receiver.urlOf('/hook'), ['version.approved'])
})
afterAll(() => scene.stop())

const read = () =>
  scene.api.get<{ readonly description: string }>(`/v1/workspaces/${workspace.id}/webhooks/${webhook.id}`, {
    token: workspace.key,
  })

async function editing(typed: string): Promise<OpenPage> {
  const opened = await scene.signedIn(OWNER)
  await opened.page.goto(`/w/${workspace.id}/webhooks/${webhook.id}`)
  await opened.page.getByRole('button', { name: 'Edit webhook', exact: true }).click()
  await opened.page.getByLabel('Description').fill(typed)
  return opened
}

/** From another browser, where the same user signs out everywhere. */
async function endSessions(email: string): Promise<void> {
  const { context } = await scene.signedIn(email)
  const answer = await context.request.delete('/console/v1/sessions', { headers: { origin: scene.url } })
  expect(answer.status()).toBe(204)
  await context.close()
}

const ended = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' })

async function followLink({ context }: OpenPage, email: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(await scene.signInLink(email))
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
  await tab.getByRole('button', { name: email }).waitFor()
  return tab
}

test('unsaved input survives the end of the session: after signing in in another tab it is saved', async () => {
  const opened = await editing(TYPED)
  const { page, context, faults } = opened
  await endSessions(OWNER)
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  await ended(page).waitFor()
  expect((await read()).description).not.toBe(TYPED)
  await page.keyboard.press('Escape')
  expect(await ended(page).isVisible()).toBe(true)

  const tab = await followLink(opened, OWNER)
  await ended(page).waitFor({ state: 'hidden', timeout: NOTICED_MS })
  await tab.close()
  expect(await page.getByLabel('Description').inputValue()).toBe(TYPED)
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  expect((await read()).description).toBe(TYPED)
  expect(faults.seen).toEqual([])
  await context.close()
})

const rotation = (page: Page) => page.getByRole('dialog', { name: 'Rotate secret' })
const shownSecret = async (page: Page) =>
  (await page.getByRole('region', { name: 'signing secret' }).innerText()).trim()

/** Creates a new secret and leaves it on the page. */
async function makeSecret(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await rotation(page).getByRole('button', { name: 'Rotate secret' }).click()
  await rotation(page).getByText('The secret is shown only once').waitFor()
  return shownSecret(page)
}

test('the page notices the end of a session without a save, and a new secret that was not stored yet can still be copied after signing in again', async () => {
  const opened = await editing(TYPED)
  const { page, context, faults } = opened
  const secret = await makeSecret(page)
  await endSessions(OWNER)
  await ended(page).waitFor({ timeout: NOTICED_MS })
  await ended(page).getByLabel('E-mail address').fill(OWNER)
  await ended(page).getByRole('button', { name: 'Send me a link' }).click()
  await ended(page).getByText('Ask your operator for the link').waitFor()

  const tab = await followLink(opened, OWNER)
  await ended(page).waitFor({ state: 'hidden', timeout: NOTICED_MS })
  await tab.close()
  await rotation(page).getByRole('button', { name: 'Copy secret' }).click()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret)
  await rotation(page).getByLabel('I have stored the secret').check()
  await rotation(page).getByRole('button', { name: 'Done' }).click()
  await rotation(page).waitFor({ state: 'hidden' })
  expect(await page.getByLabel('Description').inputValue()).toBe(TYPED)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('when another user signs in instead, unsaved input and a new secret are removed, and no question blocks the page', async () => {
  const opened = await editing(PRIVATE)
  const { page, context, faults } = opened
  const secret = await makeSecret(page)
  await endSessions(OWNER)
  await ended(page).waitFor({ timeout: NOTICED_MS })
  const tab = await followLink(opened, COLLEAGUE)
  await tab.close()
  await page.getByRole('button', { name: COLLEAGUE }).waitFor({ timeout: NOTICED_MS })
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(await page.locator('body').innerText()).not.toContain(PRIVATE)
  expect(await page.content()).not.toContain(secret)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('the secret of a webhook that was just added is still there after signing in again, and it is the right one', async () => {
  const opened = await scene.signedIn(OWNER)
  const { page, context, faults } = opened
  await page.goto(`/w/${workspace.id}/webhooks/new`)
  await page.getByRole('textbox', { name: 'URL', exact: true }).fill(scene.receiver.urlOf('/added'))
  await page.getByRole('checkbox', { name: 'Version approved' }).check()
  await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
  await page.getByRole('heading', { name: 'Your webhook is ready' }).waitFor()
  const secret = await shownSecret(page)

  await endSessions(OWNER)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await ended(page).waitFor()
  const tab = await followLink(opened, OWNER)
  await ended(page).waitFor({ state: 'hidden', timeout: NOTICED_MS })
  await tab.close()
  expect(await shownSecret(page)).toBe(secret)
  await page.getByRole('button', { name: /^Send (a|another) test$/ }).click()
  await page.getByText('Delivered: 204 No Content').waitFor()
  const [{ body, headers }] = scene.receiver.at('/added') as [Received]
  const receiver = createReceiver({ scheme: 'standard', secrets: secret })
  expect(await receiver.verify(Buffer.from(body), headers)).toMatchObject({ event: { type: 'webhook.test' } })
  expect(faults.seen).toEqual([])
  await context.close()
})
