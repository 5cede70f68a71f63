import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const TYPE = EVENTS.content.common
/** The page is refreshed every few seconds. */
const NOTICED = { timeout: 60_000 }

let scene: Scene
let content: WorkspaceClient

beforeAll(async () => {
  scene = await startScene({ POSTHORN_CONTENT_RETRY: '100ms,100ms,5h' })
  content = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(content, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

const arrived = (path: string, count: number) =>
  eventually(() => (scene.receiver.at(path).length >= count ? true : null), {
    withinMs: 20_000,
    what: `${count} requests at ${path}`,
  })

test('current failures are shown to owners and operators, with the reason why deliveries wait, until all of them arrived', async () => {
  const { receiver } = scene
  receiver.answer('/crm', { status: 500 })
  const failing = await content.createWebhook(receiver.urlOf('/crm'), [TYPE])
  await content.createWebhook(receiver.urlOf('/fine'), [TYPE])
  await content.publish([EVENTS.content.make(TYPE)])
  await arrived('/crm', 3)

  const owner = await scene.signedIn(OWNER)
  await owner.page.goto('/w/acme/webhooks')
  const banner = owner.page.getByRole('status').filter({ hasText: '1 of 2 enabled webhooks is failing' })
  await banner.waitFor(NOTICED)
  await banner.getByText(/The oldest pending delivery is .* old and waits for attempt 4 at/).waitFor()
  await banner.getByRole('link').first().click()
  // No percentage: none of its deliveries is finished.
  await owner.page.getByText('0 delivered, 1 pending now', { exact: true }).waitFor(NOTICED)
  await owner.page.getByText('3 attempts, 3 failed').waitFor()
  await owner.page.getByText(/The oldest, .* old, waits for attempt 4 at/).waitFor()

  const operator = await scene.open()
  await operator.page.goto('/operator')
  await operator.page.getByRole('button', { name: 'Sign in with the admin token' }).click()
  await operator.page.getByLabel('Admin token').fill(ADMIN_TOKEN)
  await operator.page.getByRole('button', { name: 'Sign in as operator' }).click()
  const verdict = operator.page.getByRole('status').filter({ hasText: '1 of 2 enabled webhooks is failing' })
  await verdict.waitFor(NOTICED)
  await verdict.getByRole('link', { name: 'Show failing webhooks' }).click()
  expect(new URL(operator.page.url()).hash).toBe('#failing-now')
  await operator.page.locator('#failing-now').getByText('0 delivered, 3 of 3 attempts failed').waitFor()

  receiver.answer('/crm', { status: 204 })
  await owner.page.getByRole('button', { name: 'Retry pending deliveries' }).click()
  await arrived('/crm', 4)
  await owner.page.getByText('1 delivered, 0 at the first attempt').waitFor(NOTICED)
  await owner.page.getByText('100%', { exact: true }).first().waitFor()
  await owner.page.getByText('4 attempts, 3 failed').waitFor()
  await owner.page.getByText('A delivery counts once, by its latest result.').waitFor()
  await owner.page
    .getByText(/95% within .* \(p95\)/)
    .first()
    .waitFor()
  // Attempts failed, so it does not say that all is well.
  const now = operator.page.getByRole('status').filter({ hasText: 'No webhook is failing now' })
  await now.getByText(/3 of 5 attempts in the last hour failed/).waitFor(NOTICED)
  await owner.page.goto('/w/acme/webhooks')
  await owner.page.getByText(receiver.urlOf('/crm').replace('http://', '')).first().waitFor()
  await banner.waitFor({ state: 'hidden', ...NOTICED })
  expect(await content.deliveries(failing.id)).toHaveLength(1)
  await owner.page.goto('/w/acme/figures?period=7d')
  await owner.page.waitForURL('/w/acme/metrics?period=7d')
  for (const { faults, context } of [owner, operator]) {
    expect(faults.seen).toEqual([])
    await context.close()
  }
})
