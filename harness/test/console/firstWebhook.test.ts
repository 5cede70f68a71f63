import { createReceiver } from '@posthorn/receiver'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Received } from '../../src/console/receiver.ts'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const TYPE = 'generation.ready_for_review'
const PATH = '/hooks/drafts'
const SETTINGS = { POSTHORN_CONTENT_RETRY: '50ms,50ms,50ms,50ms,50ms,50ms,50ms' }
const OUTAGE = {
  status: 503,
  body: '{"error":"the draft board is being moved"}',
  contentType: 'application/json',
}

describe.each(['http', 'https'] as const)('with a receiver on %s', (scheme) => {
  let scene: Scene
  let workspace: WorkspaceClient

  beforeAll(async () => {
    scene = await startScene(SETTINGS, scheme)
    workspace = await scene.workspace('content', 'acme', 'Acme Stories')
    await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  })
  afterAll(() => scene.stop())

  test('an owner adds a webhook, tests it, sees it fail, fixes the receiver and redelivers', async () => {
    const { receiver } = scene
    const { page, context, faults } = await scene.signedIn(OWNER)
    await page.goto('/w/acme')
    await page
      .getByRole('navigation', { name: 'Menu' })
      .getByRole('link', { name: 'Integrations Webhooks' })
      .waitFor()
    await page.getByRole('link', { name: 'Add a webhook' }).click()
    await enterUrl(page, receiver.urlOf(PATH))
    await chooseEvents(page)
    await page.getByLabel('Description').fill('Draft board of the newsletter team')
    await page.getByRole('button', { name: 'Add webhook', exact: true }).click()

    const secret = await storeSecret(page)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Delivered: 204 No Content').waitFor()
    const [tested] = receiver.at(PATH)
    expect(await verified(tested!, secret)).toMatchObject({ event: { type: 'webhook.test' } })
    await page.getByRole('link', { name: 'Go to the webhook' }).click()
    await page.getByRole('row', { name: 'webhook.test' }).getByText('delivered').waitFor()

    receiver.answer(PATH, OUTAGE)
    const [eventId] = await workspace.publish([EVENTS.content.make(TYPE)])
    const failed = page.getByRole('row', { name: TYPE }).filter({ hasText: 'failed' })
    await failed.getByText('503 Service Unavailable').waitFor({ timeout: 60_000 })
    await failed.getByRole('link', { name: TYPE }).click()
    await readFailure(page, eventId!)

    receiver.answer(PATH, { status: 200, body: '{"stored":true}', contentType: 'application/json' })
    await page.getByRole('button', { name: 'Redeliver event' }).click()
    await page.getByRole('heading', { name: '9 attempts' }).waitFor()
    await page.getByRole('button', { name: /^Attempt 9 200 OK redelivery/ }).waitFor()
    await page.getByText('"stored": true').waitFor()
    await page.getByText('delivered', { exact: true }).waitFor()

    const requests = receiver.at(PATH)
    expect(requests).toHaveLength(1 + 8 + 1)
    for (const request of requests.slice(1)) {
      expect(await verified(request, secret)).toMatchObject({ id: eventId, event: { type: TYPE } })
    }
    expect(faults.seen).toEqual([])
    await context.close()
  })
})

/** Types a URL that is rejected, reads the reason, and types a valid one. */
async function enterUrl(page: Page, url: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'URL', exact: true })
  await field.pressSequentially('http://hooks.example.com/drafts')
  await page.getByText('The URL does not start with https://').waitFor()
  await field.fill('https://10.1.2.3/drafts')
  await page.getByText('The host is an IP address; use a host name').waitFor()
  await page.getByText('The operator can allow addresses').waitFor()
  await field.fill(url)
  await page.getByLabel('This URL is valid').waitFor()
  await page.getByText('The host is an IP address').waitFor({ state: 'hidden' })
}

/** Selects one type by search, and all types of another group. */
async function chooseEvents(page: Page): Promise<void> {
  const search = page.getByLabel('Search event types')
  await search.fill('approved')
  await page.getByRole('checkbox', { name: 'Version approved' }).check()
  await expectHidden(page, 'Draft ready for review')
  await page.getByLabel('Clear the search').click()
  await page.getByRole('checkbox', { name: 'All event types of Generations' }).check()
  expect(await page.getByRole('checkbox', { name: 'Draft ready for review' }).isChecked()).toBe(true)
  expect(await page.getByRole('checkbox', { name: 'Version approved' }).isChecked()).toBe(true)
  expect(await page.getByRole('checkbox', { name: 'Changes requested' }).isChecked()).toBe(false)
}

const expectHidden = (page: Page, checkbox: string) =>
  page.getByRole('checkbox', { name: checkbox }).waitFor({ state: 'hidden' })

/** Copies the secret; the page cannot be left until it is confirmed as stored. */
async function storeSecret(page: Page): Promise<string> {
  await page.getByRole('heading', { name: 'Your webhook is ready' }).waitFor()
  await page.getByRole('button', { name: 'Copy secret' }).click()
  const secret = await page.evaluate<string>('navigator.clipboard.readText()')
  await page.getByRole('link', { name: 'Go to the webhook' }).click()
  const warning = page.getByRole('dialog', { name: 'Leave without the secret?' })
  await warning.getByRole('button', { name: 'Stay on page' }).click()
  await warning.waitFor({ state: 'hidden' })
  await page.getByLabel('I have stored the secret').check()
  return secret
}

/** Checks the page of a failed delivery: the status, the answer, what to do. */
async function readFailure(page: Page, eventId: string): Promise<void> {
  await page.getByRole('heading', { name: '8 attempts' }).waitFor()
  await page.getByText('failed', { exact: true }).waitFor()
  await page.getByText(eventId).first().waitFor()
  await page.getByRole('button', { name: /^Attempt 8 503 Service Unavailable/ }).waitFor()
  const response = page.getByRole('region', { name: 'response body' })
  expect(await response.innerText()).toContain('the draft board is being moved')
  await page.getByText('Check that it runs and is not overloaded').waitFor()
}

async function verified({ body, headers }: Received, secret: string): Promise<object> {
  const receiver = createReceiver({ scheme: 'standard', secrets: secret })
  return await receiver.verify(Buffer.from(body), headers)
}
