import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import { EVENTS } from '../../src/support/events.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const { common, make } = EVENTS.content

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

test('with live updates disabled, new deliveries are read on request', async () => {
  const workspace = await scene.workspace('content', 'acme')
  await scene.member(workspace, OWNER, 'owner')
  await workspace.createWebhook(scene.receiver.urlOf('/hook'), [common])
  await workspace.publish([make(common)])
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto('/w/acme/deliveries')
  await page.getByRole('switch', { name: 'Live' }).click()
  await page.getByLabel('Live updates: paused').waitFor()
  await settled(page)
  const rows = page.getByRole('row', { name: common })
  expect(await rows.count()).toBe(1)

  await workspace.publish([make(common), make(common)])
  await page.getByRole('button', { name: 'Refresh deliveries' }).click()
  await rows.nth(2).waitFor()
  expect(await rows.count()).toBe(3)
  expect(faults.seen).toEqual([])
  await context.close()
})
