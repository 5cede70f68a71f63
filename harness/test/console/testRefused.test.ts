import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const PATH = '/hooks/drafts'
/** Nothing is sent again by itself while somebody looks. */
const SETTINGS = { POSTHORN_CONTENT_RETRY: '1h,1h' }
const REFUSAL = 'signature_mismatch: No signature matches the body.'

let scene: Scene
let workspace: WorkspaceClient

beforeAll(async () => {
  scene = await startScene(SETTINGS)
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

test('whoever runs a receiver with a wrong secret is told so, and when the test is sent again', async () => {
  const { receiver } = scene
  const { id } = await workspace.createWebhook(receiver.urlOf(PATH), ['version.approved'])
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/acme/webhooks/${id}`)
  await page.getByText('Nothing in the last 24 hours').waitFor()

  receiver.answer(PATH, { status: 400, body: REFUSAL })
  await page.getByRole('button', { name: 'Send a test' }).click()
  const refused = page.getByRole('status').filter({ hasText: 'It did not arrive: 400 Bad Request' })
  await refused.getByText(REFUSAL).waitFor()
  await refused.getByText('A wrong signing secret is a likely reason').waitFor()
  // The figures say the same as what stands above them, without waiting for their turn.
  await page.getByText('Nothing in the last 24 hours').waitFor({ state: 'hidden' })
  await page.getByText('1 attempt. Error status from the receiver 1.').first().waitFor()
  await page.reload()
  await page.getByText('failing', { exact: true }).waitFor()

  receiver.answer(PATH, { status: 422 })
  await page.getByRole('button', { name: 'Send a test' }).click()
  const other = page.getByRole('status').filter({ hasText: 'It did not arrive: 422' })
  await other.waitFor()
  expect(await other.innerText()).not.toContain('signing secret')

  await page.getByRole('link', { name: 'See the request and the answer in full' }).click()
  await page.getByText('its answer was empty').waitFor()
  const redeliver = page.getByRole('button', { name: 'Redeliver' })
  expect(await redeliver.getAttribute('aria-disabled')).toBe('true')
  await page.getByText(/It is still on its way: its next attempt comes by itself in (1 h|\d+ min)/).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})
