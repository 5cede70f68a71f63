import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const PATH = '/hooks/drafts'
/** Nothing is retried during the test. */
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

test('a receiver with a wrong secret gets an explanation, with the time of the next attempt', async () => {
  const { receiver } = scene
  const { id } = await workspace.createWebhook(receiver.urlOf(PATH), ['version.approved'])
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/acme/webhooks/${id}`)
  await page.getByText('nothing sent', { exact: true }).first().waitFor()

  receiver.answer(PATH, { status: 400, body: REFUSAL })
  await page.getByRole('button', { name: 'Send a test' }).click()
  const refused = page.getByRole('status').filter({ hasText: 'Failed: 400 Bad Request' })
  await refused.getByText(REFUSAL).waitFor()
  await refused.getByText('A wrong signing secret is a likely cause').waitFor()
  await refused
    .getByText('A test is a single attempt. It is not retried, does not count in the metrics')
    .waitFor()
  // A test does not affect the state of the webhook.
  await page.reload()
  await page.getByRole('paragraph').filter({ hasText: 'Latest response' }).waitFor()
  await page.getByText('nothing sent', { exact: true }).first().waitFor()
  expect(await page.getByText('failing', { exact: true }).count()).toBe(0)

  receiver.answer(PATH, { status: 422 })
  await page.getByRole('button', { name: 'Send a test' }).click()
  const other = page.getByRole('status').filter({ hasText: 'Failed: 422' })
  await other.waitFor()
  expect(await other.innerText()).not.toContain('signing secret')

  receiver.answer(PATH, { status: 204 })
  await page.getByLabel('Test event').selectOption({ label: 'Example of version.approved' })
  await page.getByRole('button', { name: 'Send another test' }).click()
  await page.getByText('Delivered: 204').waitFor()
  expect(JSON.parse(receiver.at(PATH).at(-1)!.body.toString())).toMatchObject({ type: 'version.approved' })
  await page.getByLabel('Test event').selectOption({ label: 'webhook.test' })
  receiver.answer(PATH, { status: 422 })
  await page.getByRole('button', { name: 'Send another test' }).click()
  await other.waitFor()

  await page.getByRole('link', { name: 'Show the full request and response' }).click()
  await page.getByText('rejected the request with an empty response').waitFor()
  // A failed test is final until a user redelivers it.
  await page.getByText('failed', { exact: true }).first().waitFor()
  await page.getByText('This test failed').waitFor()
  receiver.answer(PATH, { status: 204 })
  await page.getByRole('button', { name: 'Redeliver event' }).click()
  await page.getByText('delivered', { exact: true }).first().waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})
