import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Scene } from '../../src/console/scene.ts'
import { makeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'
import { WalkingClock } from '../../src/support/walkingClock.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'

const OWNER = 'mira@acme.example'
const PATH = '/hooks/deploy'
/** A workspace's limit in a minute. */
const LIMIT = 10
const MINUTE_MS = 60_000

let scene: Scene
let clock: WalkingClock
let workspace: WorkspaceClient

beforeAll(async () => {
  clock = new WalkingClock(makeDirectory(), Date.now())
  scene = await Scene.start(clock.settings)
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

const left = (page: Page, count: number) =>
  page.getByText(`${count} of ${LIMIT} manual sends left this minute`, { exact: true }).waitFor()

const received = (count: number) =>
  eventually(() => (scene.receiver.at(PATH).length >= count ? true : null), {
    withinMs: 30_000,
    what: `${count} requests`,
  })

test('the tests and redeliveries left in a minute are shown, the eleventh of either kind is rejected with the time of the next, and then it is sent', async () => {
  const webhook = await workspace.createWebhook(scene.receiver.urlOf(PATH), ['version.approved'])
  const tests = `/v1/workspaces/${workspace.id}/webhooks/${webhook.id}/test`
  for (let i = 0; i < LIMIT - 2; i++) await scene.api.post(tests, { token: workspace.key })
  const { page, context, faults } = await scene.signedIn(OWNER)
  faults.expectStatus(429)
  await page.goto(`/w/acme/webhooks/${webhook.id}`)
  await left(page, 2)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Delivered: 204 No Content').waitFor()
  await left(page, 1)

  await page.getByRole('link', { name: 'Show the full request and response' }).click()
  await left(page, 1)
  await page.getByRole('button', { name: 'Redeliver event' }).click()
  await page.getByRole('heading', { name: '2 attempts' }).waitFor()
  await left(page, 0)
  await page.getByRole('button', { name: 'Redeliver event' }).click()
  const dialog = page.getByRole('dialog', { name: 'The delivery was not sent' })
  await saysTooMany(dialog)
  await dialog.getByText('Close', { exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })

  await page.goBack()
  await left(page, 0)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await saysTooMany(page.getByRole('main'))
  await received(LIMIT)
  expect((await workspace.deliveries(webhook.id)).flatMap(({ attempts }) => attempts)).toHaveLength(LIMIT)

  await clock.leapTo(clock.now() + MINUTE_MS, scene.service)
  await left(page, LIMIT)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Delivered: 204 No Content').waitFor()
  await page.getByText('Rate limit reached').waitFor({ state: 'hidden' })
  await left(page, LIMIT - 1)
  expect(scene.receiver.at(PATH)).toHaveLength(LIMIT + 1)
  expect(faults.seen).toEqual([])
  await context.close()
})

/** Checks the reason why nothing was sent, and the time of the next. */
async function saysTooMany(where: ReturnType<Page['getByRole']>): Promise<void> {
  const alert = where.getByRole('alert').filter({ hasText: 'Rate limit reached' })
  await alert
    .getByText(`A workspace can send ${LIMIT} tests, redeliveries, retries and recoveries per minute`)
    .waitFor()
  await alert.getByText(/You can send the next one in (\d+ s|1 min)/).waitFor()
}
