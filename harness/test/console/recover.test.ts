import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const TYPE = EVENTS.content.common
const ADS_TYPE = EVENTS.ads.common
/**
 * Content waits for hours, longer after the second attempt, so that a retry begins with others; ads stops
 * retrying at once.
 */
const SETTINGS = { POSTHORN_CONTENT_RETRY: '5h,9h', POSTHORN_ADS_RETRY: '10ms' }
const PATIENT = { timeout: 60_000 }

let scene: Scene
let content: WorkspaceClient
let ads: WorkspaceClient

beforeAll(async () => {
  scene = await startScene(SETTINGS)
  content = await scene.workspace('content', 'acme', 'Acme Stories')
  ads = await scene.workspace('ads', 'acme-ads', 'Acme Ads')
  for (const workspace of [content, ads]) await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

const publish = (count: number) =>
  content.publish(Array.from({ length: count }, () => EVENTS.content.make(TYPE)))

/** Waits until this many requests have arrived at a path. */
const arrived = (path: string, count: number) =>
  eventually(() => (scene.receiver.at(path).length >= count ? true : null), {
    withinMs: 20_000,
    what: `${count} requests at ${path}`,
  })

test('once a receiver works again, deliveries waiting for hours can be retried now: one, and then all', async () => {
  const { receiver } = scene
  receiver.answer('/crm', { status: 500 })
  const { id } = await content.createWebhook(receiver.urlOf('/crm'), [TYPE])
  await publish(5)
  await arrived('/crm', 5)
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/acme/webhooks/${id}`)
  await page.getByText('5 deliveries wait for a retry.').waitFor(PATIENT)

  // None has failed for good yet: the list of failed deliveries says where those with failed attempts are.
  await page.goto(`/w/acme/deliveries?status=failed&webhook=${id}`)
  await page
    .getByText('No matching delivery has used all of its attempts. 5 are pending after a failed attempt.')
    .waitFor(PATIENT)
  await page.getByRole('link', { name: 'Show pending deliveries' }).click()
  await expect.poll(() => page.locator('table.ph-deliveries tbody tr').count(), PATIENT).toBe(5)
  expect(new URL(page.url()).searchParams.get('status')).toBe('pending')

  await page.goto(`/w/acme/webhooks/${id}`)
  const failing = page.getByRole('alert').filter({ hasText: 'Deliveries are failing' })
  await failing
    .getByText(/Latest failure: 500 Internal Server Error\. Look for the error in the log/)
    .waitFor()
  await page.getByText('0 delivered, 5 pending now', { exact: true }).waitFor()
  await failing.getByRole('link', { name: 'Retry or recover deliveries' }).click()
  expect(new URL(page.url()).hash).toBe('#recover')
  const warning = /has been failing since .+\. Fix the receiver first/
  await page.locator('#recover').getByText(warning).waitFor()
  await page.getByRole('button', { name: 'Recover deliveries…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Recover deliveries' })
  await dialog.getByText(warning).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await failing.getByRole('link', { name: 'Open delivery' }).click()
  await page.getByText(/Next retry in [45] h/).waitFor()
  const pause = (paused: boolean) =>
    scene.api.patch(`/v1/workspaces/${content.id}/webhooks/${id}`, { token: content.key, body: { paused } })
  await pause(true)
  await page.reload()
  await page.getByText('Resume the webhook to retry this delivery.').waitFor(PATIENT)
  expect(await page.getByRole('button', { name: 'Retry delivery now' }).isDisabled()).toBe(true)
  await pause(false)
  await page.reload()
  await page.getByText('Resume the webhook to retry this delivery.').waitFor({ state: 'hidden', ...PATIENT })
  await page.getByRole('button', { name: 'Retry delivery now' }).click()
  await arrived('/crm', 6)
  await page.getByText('retry', { exact: true }).first().waitFor(PATIENT)

  await page.goto(`/w/acme/webhooks/${id}`)
  await page.getByRole('button', { name: 'Retry pending deliveries' }).click()
  await page.getByText(/0 delivered\. Stopped at the first failed attempt/).waitFor(PATIENT)
  expect(receiver.at('/crm')).toHaveLength(7)

  receiver.answer('/crm', { status: 204 })
  await page.getByRole('link', { name: TYPE }).first().click()
  await page.getByRole('button', { name: 'Retry delivery now' }).click()
  await page.getByText('This webhook has 4 deliveries pending after a failed attempt.').waitFor(PATIENT)
  await page.getByRole('link', { name: 'Go to the webhook' }).click()
  await page.getByRole('button', { name: 'Retry pending deliveries' }).click()
  // Each step may wait until the next refresh, at most 10 s later.
  await page.getByText(/4 delivered\. All scheduled retries were sent/).waitFor({ timeout: 100_000 })
  await page.getByText('No delivery waits for a retry.').waitFor(PATIENT)
  expect(receiver.at('/crm')).toHaveLength(12)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('failed deliveries are recovered, with visible progress', async () => {
  const { receiver } = scene
  receiver.answer('/ads', { status: 500 })
  const { id } = await ads.createWebhook(receiver.urlOf('/ads'), [ADS_TYPE])
  const events = Array.from({ length: 4 }, () => EVENTS.ads.make(ADS_TYPE))
  await ads.publish(events)
  await arrived('/ads', 8)
  receiver.answer('/ads', { status: 204 })
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${ads.id}/webhooks/${id}`)
  await page.getByRole('link', { name: ADS_TYPE }).first().click()
  await page.getByRole('button', { name: 'Replay delivery', exact: true }).click()
  await page.getByText('This endpoint has 3 other dead deliveries.').waitFor(PATIENT)
  await page.getByRole('link', { name: 'Choose deliveries to replay' }).click()
  await page.getByText('3 deliveries are dead.').waitFor(PATIENT)

  await page.goto(`/w/${ads.id}/webhooks/${id}`)
  await page.getByRole('button', { name: 'Recover deliveries…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Recover deliveries' })
  await dialog.getByText('3 deliveries are dead or were canceled.').waitFor(PATIENT)
  await dialog.getByRole('checkbox', { name: 'dead' }).uncheck()
  await dialog.getByText('No delivery was canceled in this time.').waitFor(PATIENT)
  await dialog.getByRole('checkbox', { name: 'dead' }).check()
  await dialog.getByLabel('Event type').selectOption(ADS_TYPE)
  await dialog.getByLabel('Time').selectOption('From … to …')
  await dialog.getByLabel('To', { exact: true }).fill('2001-01-01T00:00')
  await dialog.getByText('Select at least one state, and a To that is later than From.').waitFor()
  await dialog.getByLabel('Time').selectOption('Last hour')
  await dialog.getByRole('button', { name: 'Recover 3 deliveries' }).click()
  await page.getByText('Recovered 3 deliveries: 3 delivered.').waitFor(PATIENT)
  expect(receiver.at('/ads')).toHaveLength(12)
  await page.reload()
  await page.getByText('Recovered 3 deliveries: 3 delivered.').waitFor(PATIENT)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a pause first explains its consequences, then counts skipped events, and afterwards links to them', async () => {
  const { receiver } = scene
  const { id } = await content.createWebhook(receiver.urlOf('/pause'), [TYPE])
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/acme/webhooks/${id}`)
  await page.getByRole('button', { name: 'Pause webhook', exact: true }).click()
  await page.getByText(/Events published while it is paused are skipped/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause webhook' }).click()
  await page.getByText('This webhook is paused: nothing is sent').waitFor()
  await page.getByText(/^Paused by .+\. Pending deliveries wait\. New events are skipped\.$/).waitFor()
  await page.getByText('Resume the webhook to recover deliveries.').waitFor()
  for (const name of ['Retry pending deliveries', 'Recover deliveries…'])
    expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
  await publish(3)
  await page.getByText(/^It has skipped 3 events since/).waitFor(PATIENT)
  await page.getByRole('button', { name: 'Resume webhook' }).click()
  await page.getByText('This webhook is paused: nothing is sent').waitFor({ state: 'hidden' })
  await page.getByText(/^It skipped 3 events from .+ to .+, while it was disabled or paused/).waitFor(PATIENT)
  await page.getByRole('button', { name: 'Show command' }).click()
  await page.getByText(/events\?after=A/).waitFor()
  await page.getByRole('link', { name: 'Show these events' }).click()
  await expect.poll(() => page.locator('.ph-event-log > li').count(), PATIENT).toBe(3)
  expect(new URL(page.url()).searchParams.get('type')).toBe(TYPE)
  await page.goBack()
  expect(receiver.at('/pause')).toHaveLength(0)

  await page.getByRole('button', { name: 'Recover deliveries…' }).click()
  await page
    .getByText(/3 events were published while it was paused or disabled. They are not sent/)
    .waitFor(PATIENT)
  expect(await page.getByRole('button', { name: 'Recover deliveries', exact: true }).isDisabled()).toBe(true)
  expect(faults.seen).toEqual([])
  await context.close()
})
