import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'

let scene: Scene
let workspace: WorkspaceClient

beforeAll(async () => {
  scene = await startScene()
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

test('the tab that requested a link continues to its page once the link was followed in another', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto(`/w/${workspace.id}/deliveries`)
  await page.getByLabel('E-mail address').fill(OWNER)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText('Ask your operator for the link').waitFor()
  // It checks once before the sign-in.
  const looked = page.waitForResponse((response) => response.url().endsWith('/console/v1/session'))
  await page.evaluate("window.dispatchEvent(new Event('focus'))")
  expect((await looked).status()).toBe(401)

  const tab = await context.newPage()
  await tab.goto(await scene.signInLink(OWNER))
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
  await tab.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor()

  // Browsers send this event when a user returns to the page.
  await page.evaluate("window.dispatchEvent(new Event('focus'))")
  await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/w/${workspace.id}/deliveries`)
  expect(faults.seen).toEqual([])
  await context.close()
})
