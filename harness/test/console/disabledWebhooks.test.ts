import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followLinkOf } from '../../src/console/mailbox.ts'
import { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { makeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'
import { WalkingClock } from '../../src/support/walkingClock.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'

const OWNER = 'mira@acme.example'
const TYPE = 'generation.ready_for_review'
const WARNING = { to: OWNER, subject: 'Webhook keeps failing' }
const WORD = { to: OWNER, subject: 'Webhook disabled' }
/** Pages refresh regularly. */
const PATIENT = { timeout: 60_000 }

const HOUR_MS = 3_600_000

let scene: Scene
let clock: WalkingClock
let workspace: WorkspaceClient
let mira: string

beforeAll(async () => {
  clock = new WalkingClock(makeDirectory(), Date.now())
  scene = await Scene.start(clock.settings)
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  mira = await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

const publish = (count = 1) =>
  workspace.publish(Array.from({ length: count }, () => EVENTS.content.make(TYPE)))

const webhookAt = (path: string, description: string) =>
  scene.webhookOf(workspace, mira, { url: scene.receiver.urlOf(path), events: [TYPE], description })

const hoursLater = (hours: number) => clock.leapTo(clock.now() + hours * HOUR_MS, scene.service)

/** Waits until the receiver got this many requests, and their results are in the log. */
const attempts = (webhookId: string, count: number) =>
  eventually(
    async () => {
      const log = await workspace.deliveries(webhookId)
      return log.flatMap((delivery) => delivery.attempts).length >= count ? true : null
    },
    { withinMs: 60_000, what: `${count} attempts` },
  )

async function turnOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Enable webhook' }).click()
  await page.getByText('The webhook was enabled').waitFor()
  await page.getByText('This webhook is disabled').waitFor({ state: 'hidden' })
}

test('a receiver that answers 410 gets nothing more, which the list explains, until an owner enables it', async () => {
  const { receiver } = scene
  await webhookAt('/crm', 'The old CRM')
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto('/w/acme/webhooks')
  const entry = page.getByRole('listitem').filter({ hasText: 'The old CRM' })
  await entry.getByText('enabled', { exact: true }).waitFor()

  receiver.answer('/crm', { status: 410, body: 'Moved out.' })
  await publish()
  await entry.getByText('Its receiver responded with 410 Gone: it wants no more requests').waitFor(PATIENT)
  await entry.getByText('disabled', { exact: true }).waitFor()

  await publish(3)
  await entry.getByRole('link').first().click()
  await page.getByText('This webhook is disabled: nothing is sent').waitFor()
  await page.getByText(/^It has skipped 3 events since/).waitFor(PATIENT)
  await page.getByRole('button', { name: 'Show command' }).click()
  await page.getByText(`/v1/workspaces/acme/events?after=`).waitFor()
  expect(receiver.at('/crm')).toHaveLength(1)

  receiver.answer('/crm', { status: 204 })
  await turnOn(page)
  await publish()
  await page.getByRole('row', { name: TYPE }).getByText('204 No Content').waitFor(PATIENT)
  // Events published while it was disabled are not sent later.
  expect(receiver.at('/crm')).toHaveLength(2)
  expect((await scene.mailbox.newest(WORD)).text).toContain('answered 410 Gone')
  expect(scene.mailbox.all(WARNING)).toEqual([])
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a receiver that only fails leads to a warning by e-mail, then its webhook is disabled, and a link leads its owner to the repair', async () => {
  const { receiver, mailbox } = scene
  const before = mailbox.all(WORD).length
  const url = receiver.urlOf('/deploy')
  const { id } = await webhookAt('/deploy', 'Website deploy')
  receiver.answer('/deploy', { status: 500, body: 'No space left on device' })
  await publish()
  await attempts(id, 1)
  // Due attempts are made: the first after half of the time, the second after all of it.
  await hoursLater(13)

  const warning = await mailbox.newest(WARNING)
  expect(warning.headers.get('subject')).toContain('Website deploy')
  expect(warning.text).toMatch(/HTTP 500/)
  expect(warning.text).toContain(url)
  await hoursLater(12)
  const word = await mailbox.newest(WORD, before + 1)
  expect(word.headers.get('subject')).toContain('Website deploy')
  expect(word.text).toMatch(/The last errors[\s\S]+HTTP 500/)
  expect(word.text).toContain(url)
  await publish(2)

  // In a signed-out browser.
  const { page, context, faults } = await scene.open()
  await followLinkOf(page, word, 'Open the webhook')
  await page.getByLabel('E-mail address').fill(OWNER)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText('Ask your operator for the link').waitFor()
  const link = await mailbox.newest({ to: OWNER, subject: 'Your sign-in link' })
  await followLinkOf(page, link, 'Sign in')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await page.getByText('This webhook is disabled: nothing is sent').waitFor()
  await page.getByText(url, { exact: true }).first().waitFor()
  await page.getByText(/without a single success/).waitFor()
  await page.getByText(/^It has skipped 2 events since/).waitFor()
  receiver.answer('/deploy', { status: 200 })
  await turnOn(page)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Delivered: 200 OK').waitFor(PATIENT)

  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
  const warnings = page.getByRole('switch', { name: 'E-mail me about failing webhooks' })
  await warnings.uncheck()
  await page.getByText('You no longer get e-mails about failing webhooks').waitFor()
  await page.reload()
  await warnings.waitFor()
  expect(await warnings.isChecked()).toBe(false)

  receiver.answer('/deploy', { status: 500, body: 'No space left on device, again' })
  const soFar = receiver.at('/deploy').length
  await publish()
  await attempts(id, soFar + 1)
  await hoursLater(13)
  await attempts(id, soFar + 2)
  await hoursLater(12)
  const again = await mailbox.newest(WORD, before + 2)
  expect(again.text).toMatch(/HTTP 500/)
  expect(mailbox.all(WARNING)).toHaveLength(1)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('disabling a webhook cancels pending deliveries, counts later events as skipped, and enabling it sends only new events', async () => {
  const { receiver } = scene
  const { id } = await webhookAt('/manual', 'The intranet')
  receiver.answer('/manual', { status: 503 })
  await publish()
  await attempts(id, 1)
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/acme/webhooks/${id}`)
  await page.getByRole('row', { name: TYPE }).getByText('pending').waitFor()
  await page.getByRole('button', { name: 'Disable webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Disable the webhook The intranet?' })
  await dialog.getByText('New events are skipped and are not sent later.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.getByText('This webhook is disabled').count()).toBe(0)

  await page.getByRole('button', { name: 'Disable webhook' }).click()
  await dialog.getByRole('button', { name: 'Disable webhook' }).click()
  await page.getByText('The webhook was disabled.').waitFor()
  await page.getByText('This webhook is disabled: nothing is sent').waitFor()
  await page.getByText(/^Disabled by .+\.$/).waitFor()
  await page.getByText('Tests can be sent only while the webhook is enabled. It is disabled.').waitFor()
  expect(await page.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Disable webhook' }).count()).toBe(0)
  const soFar = receiver.at('/manual').length
  await publish(2)
  await page.reload()
  await page.getByText(/^It has skipped 2 events since/).waitFor()
  await page.getByRole('row', { name: TYPE }).getByText('canceled').waitFor()

  receiver.answer('/manual', { status: 204 })
  await turnOn(page)
  await publish()
  await attempts(id, soFar + 1)
  await page.reload()
  await page.getByRole('row', { name: TYPE }).getByText('204 No Content').waitFor()
  expect(receiver.at('/manual')).toHaveLength(soFar + 1)
  expect((await workspace.deliveries(id)).map(({ status }) => status)).toEqual(['delivered', 'canceled'])

  // Disabling it again does not hide the events missed before.
  await page.getByRole('button', { name: 'Disable webhook' }).click()
  await dialog.getByRole('button', { name: 'Disable webhook' }).click()
  await page.getByText('It has not skipped any events since then.').waitFor()
  await page.getByText(/^It skipped 2 events during earlier interruptions\. The first one began/).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})
