import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
/** APIs that browsers disable in pages over plain HTTP from another machine. */
const KEPT_FROM_PAGES =
  'delete Crypto.prototype.randomUUID; delete Crypto.prototype.subtle; delete Navigator.prototype.clipboard'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

test('a webhook can be added in a console over plain HTTP from another machine', async () => {
  const workspace = await scene.workspace('content', 'acme')
  await scene.member(workspace, OWNER, 'owner')
  const { page, context, faults } = await scene.signedIn(OWNER)
  await context.addInitScript(KEPT_FROM_PAGES)
  await page.goto('/w/acme/webhooks/new')
  expect(await page.evaluate<string>('typeof crypto.randomUUID')).toBe('undefined')
  await page.getByRole('textbox', { name: 'URL', exact: true }).fill(scene.receiver.urlOf('/hook'))
  await page.getByRole('checkbox', { name: 'Version approved' }).check()
  await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
  await page.getByRole('heading', { name: 'Your webhook is ready' }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})
