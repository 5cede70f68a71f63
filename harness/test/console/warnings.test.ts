import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followLinkOf } from '../../src/console/mailbox.ts'
import { Scene } from '../../src/console/scene.ts'
import { checkOf } from '../../src/docs/checks.ts'
import { allBlocks } from '../../src/docs/pages.ts'
import { EVENTS } from '../../src/support/events.ts'
import { makeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'
import { WalkingClock } from '../../src/support/walkingClock.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'

const OWNER = 'mira@acme.example'
const TYPE = EVENTS.content.common
const MINUTE_MS = 60_000
/** Pages refresh every few seconds. */
const PATIENT = { timeout: 60_000 }

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

/** The names of all members of an event, whatever their values. */
const membersOf = (event: object): readonly string[] =>
  Object.entries(event)
    .flatMap(([name, value]) => [
      name,
      ...(typeof value === 'object' && value !== null ? membersOf(value) : []),
    ])
    .sort()

const publish = (count: number) =>
  workspace.publish(Array.from({ length: count }, () => EVENTS.content.make(TYPE)))

/** A message at the bottom of the window does not cover a page scrolled to its end. */
async function leavesTheEndFree(page: Page): Promise<void> {
  const message = page.getByText('Warnings are snoozed for 60 minutes.')
  await message.waitFor()
  const last = page.getByRole('main').getByRole('button').last()
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
  const [above, below] = [await last.boundingBox(), await message.boundingBox()]
  expect(above!.y + above!.height).toBeLessThan(below!.y)
}

/** Waits until this many requests have arrived at a path. */
const arrived = (path: string, count: number) =>
  eventually(() => (scene.receiver.at(path).length >= count ? scene.receiver.at(path) : null), {
    withinMs: 60_000,
    what: `${count} requests at ${path}`,
  })

test('an owner sets an address, is warned minutes after a webhook began to fail, snoozes the warning, and is notified of the recovery', async () => {
  const { receiver, mailbox } = scene
  const url = receiver.urlOf('/orders')
  const { id } = await scene.webhookOf(workspace, mira, { url, events: [TYPE], description: 'Orders' })
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto('/w/acme/settings')
  await page.getByLabel('URL of the operational webhook').fill(receiver.urlOf('/operations'))
  await page.getByRole('checkbox', { name: /delivery\.exhausted/ }).uncheck()
  await page.getByRole('button', { name: 'Add operational webhook' }).click()
  await page.getByText('The secret is shown only once').waitFor()
  await page.getByLabel('I have stored the secret').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('It receives webhook.failing, webhook.recovered, webhook.disabled.').waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await arrived('/operations', 1)

  receiver.answer('/orders', { status: 503, body: 'Down for maintenance' })
  await publish(5)
  await arrived('/orders', 5)
  expect(mailbox.all({ to: OWNER, subject: 'Webhook is failing' })).toEqual([])
  await clock.leapTo(clock.now() + 11 * MINUTE_MS, scene.service)
  const warning = await mailbox.newest({ to: OWNER, subject: 'Webhook is failing' })
  expect(warning.text).toContain('Orders')
  expect(warning.text).toMatch(/5 attempts failed in a row[\s\S]+HTTP 503/)
  const arrivals = (await arrived('/operations', 2)).map(({ body }) => JSON.parse(body.toString()))
  expect(arrivals.map(({ type }) => type)).toEqual(['webhook.test', 'webhook.failing'])
  expect(arrivals[1].data.webhook).toMatchObject({ id, url: new URL(url).origin })
  const documented = allBlocks().filter((block) => checkOf(block) === 'operationalEvents')
  expect(documented.map(({ text }) => membersOf(JSON.parse(text)))).toEqual([membersOf(arrivals[1])])

  await followLinkOf(page, warning, 'Open the webhook')
  // Rendered once it is close to the visible part of the page, from which what loads above it may push it again.
  await eventually(
    async () => {
      await page.getByRole('heading', { name: 'Settings', exact: true }).scrollIntoViewIfNeeded()
      return (await page.getByText('An early warning was sent').isVisible()) || null
    },
    { withinMs: PATIENT.timeout, what: 'the notice that a warning was sent' },
  )
  await page.getByText(/^Owners are warned when 5 attempts fail in a row, or 50%/).waitFor()
  await page.getByRole('button', { name: 'Change rule' }).click()
  await page.getByLabel('Consecutive failed attempts').fill('3')
  await page.getByRole('button', { name: 'Save rule' }).click()
  await page.getByText(/^Owners are warned when 3 attempts fail in a row/).waitFor()

  receiver.answer('/orders', { status: 204 })
  await publish(1)
  await page.getByText('An early warning was sent').waitFor({ state: 'hidden', ...PATIENT })
  await clock.leapTo(clock.now() + 11 * MINUTE_MS, scene.service)
  await mailbox.newest({ to: OWNER, subject: 'Webhook recovered' })
  expect((await arrived('/operations', 3)).map(({ body }) => JSON.parse(body.toString()).type).at(-1)).toBe(
    'webhook.recovered',
  )

  await page.getByText('An early warning is an e-mail to all owners of this workspace').waitFor()
  await page.getByRole('button', { name: 'Snooze warnings for 60 minutes' }).click()
  await page.getByText(/^Snoozed until/).waitFor()
  await leavesTheEndFree(page)
  await page.getByRole('button', { name: 'End snooze' }).click()
  await page.getByText('The snooze was ended').waitFor()

  await page.goto('/w/acme/settings')
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const rotation = page.getByRole('dialog', { name: 'Rotate secret of the operational webhook?' })
  await rotation.getByText('For 24 hours, requests are signed with the old and the new secret.').waitFor()
  await rotation.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByText('The secret is shown only once').waitFor()
  await page.getByLabel('I have stored the secret').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Delete operational webhook' }).click()
  const deletion = page.getByRole('dialog', { name: 'Delete the operational webhook?' })
  await deletion.getByText('pending deliveries are canceled').waitFor()
  await deletion.getByRole('button', { name: 'Cancel' }).click()
  await deletion.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Delete operational webhook' }).click()
  await deletion.getByRole('button', { name: 'Delete operational webhook' }).click()
  await page.getByText('The operational webhook was deleted.').waitFor()
  await page.getByRole('button', { name: 'Add operational webhook' }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})
