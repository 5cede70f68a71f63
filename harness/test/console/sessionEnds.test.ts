import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenPage, Scene } from '../../src/console/scene.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'

const OWNER = 'mira@acme.example'
const COLLEAGUE = 'jonas@acme.example'
const TYPED = 'Half a thought, and the other half'
const SECRET = 'Not meant for Jonas'
const NOTICED_MS = 60_000

let scene: Scene
let workspace: WorkspaceClient
let webhook: { readonly id: string }

beforeAll(async () => {
  scene = await Scene.start()
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
  await opened.page.getByRole('button', { name: 'Edit', exact: true }).click()
  await opened.page.getByLabel('Description').fill(typed)
  return opened
}

/** From another browser, where the same person signs out everywhere. */
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

test('what was typed outlives the session: after signing in in another tab it is saved', {
  timeout: 120_000,
}, async () => {
  const opened = await editing(TYPED)
  const { page, context, faults } = opened
  await endSessions(OWNER)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await ended(page).waitFor()
  expect((await read()).description).not.toBe(TYPED)
  await page.keyboard.press('Escape')
  expect(await ended(page).isVisible()).toBe(true)

  const tab = await followLink(opened, OWNER)
  await ended(page).waitFor({ state: 'hidden', timeout: NOTICED_MS })
  await tab.close()
  expect(await page.getByLabel('Description').inputValue()).toBe(TYPED)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  expect((await read()).description).toBe(TYPED)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a session that ends while nothing is saved is noticed by itself', { timeout: 120_000 }, async () => {
  const { page, context, faults } = await editing(TYPED)
  await endSessions(OWNER)
  await ended(page).waitFor({ timeout: NOTICED_MS })
  await ended(page).getByLabel('E-mail address').fill(OWNER)
  await ended(page).getByRole('button', { name: 'Send me a link' }).click()
  await ended(page).getByText('Look into your mailbox').waitFor()
  expect(await page.getByLabel('Description').inputValue()).toBe(TYPED)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('when somebody else signs in instead, nothing that was typed stays for them', {
  timeout: 120_000,
}, async () => {
  const opened = await editing(SECRET)
  const { page, context, faults } = opened
  await endSessions(OWNER)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await ended(page).waitFor()
  const tab = await followLink(opened, COLLEAGUE)
  await tab.close()
  await page.getByRole('button', { name: COLLEAGUE }).waitFor({ timeout: NOTICED_MS })
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(await page.locator('body').innerText()).not.toContain(SECRET)
  expect(faults.seen).toEqual([])
  await context.close()
})
