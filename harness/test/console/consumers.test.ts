import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { focusKept, tabTo } from '../../src/console/keyboard.ts'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const run = promisify(execFile)
const OWNER = 'mira@acme.example'
const TYPE = EVENTS.content.common
/** The list is refreshed every few seconds. */
const PATIENT = { timeout: 60_000 }

let scene: Scene
let content: WorkspaceClient
let ads: WorkspaceClient

beforeAll(async () => {
  scene = await startScene()
  content = await scene.workspace('content', 'acme', 'Acme Stories')
  ads = await scene.workspace('ads', 'acme-ads', 'Acme Ads')
  for (const workspace of [content, ads]) await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

const publish = (count: number) =>
  content.publish(Array.from({ length: count }, () => EVENTS.content.make(TYPE)))

const itemOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Consumers' }).getByRole('listitem').filter({ hasText: name })

/** Runs a command that the console shows, as its reader would. */
async function runs(shown: Locator, key: string, ack = ''): Promise<Readonly<Record<string, unknown>>> {
  const command = (await shown.innerText()).replace('ACK', ack)
  const { stdout } = await run('bash', ['-c', command], {
    env: { PATH: process.env.PATH, API_KEY: key, no_proxy: '127.0.0.1' },
    timeout: 45_000,
  })
  return JSON.parse(stdout)
}

async function move(page: Page, name: string, where: string, given?: readonly [string, string]) {
  await page.getByRole('button', { name: `Move consumer ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `Move the consumer ${name}?` })
  await dialog.getByRole('radio', { name: where }).check()
  if (given !== undefined) await dialog.getByLabel(given[0]).fill(given[1])
  await dialog.getByRole('button', { name: 'Move consumer' }).click()
  return dialog
}

test('an owner creates a consumer, reads and acknowledges with the commands shown, moves it and deletes it', async () => {
  const { page, context, faults } = await scene.signedIn(OWNER)
  faults.expectStatus(404, 409, 422)
  await page.goto('/w/acme/settings')
  await page.getByText('No consumers yet.').waitFor()
  await page.getByRole('region', { name: 'commands that create and read one' }).waitFor()

  await publish(1)
  await page.getByRole('button', { name: 'Create a consumer' }).click()
  const creation = page.getByRole('dialog', { name: 'Create a consumer' })
  await creation.getByRole('textbox', { name: 'Name' }).fill('crm sync')
  await creation.getByRole('button', { name: 'Create consumer' }).click()
  await creation.getByText('1 to 64 letters, digits, underscores and hyphens').waitFor()
  await creation.getByRole('textbox', { name: 'Name' }).fill('crm-sync')
  await creation.getByRole('button', { name: 'Create consumer' }).click()
  await creation.getByText('The consumer crm-sync was created.').waitFor()
  await creation.getByRole('button', { name: 'Done' }).click()
  const item = itemOf(page, 'crm-sync')
  await item.getByText('up to date').waitFor()
  await item.getByText('nothing acknowledged yet').waitFor()

  const ids = await publish(3)
  await item.getByText('3 waiting').waitFor(PATIENT)
  await page.getByRole('button', { name: 'Show how to read crm-sync' }).click()
  const guide = page.getByRole('dialog', { name: 'How to read the consumer crm-sync' })
  const { events, ack } = await runs(
    guide.getByRole('region', { name: 'command that fetches events' }),
    content.key,
  )
  expect((events as readonly { id: string }[]).map(({ id }) => id)).toEqual(ids)
  const acknowledges = guide.getByRole('region', { name: 'command that acknowledges events' })
  expect(await runs(acknowledges, content.key, String(ack))).toEqual({ moved: true })
  await page.keyboard.press('Escape')
  await item.getByText('up to date').waitFor(PATIENT)
  await item.getByText('last acknowledged').waitFor()

  const inTheFuture = await move(page, 'crm-sync', 'Events since a time', [
    'Time, in your time zone',
    '2099-01-01T00:00',
  ])
  await inTheFuture.getByText('This time is in the future.').waitFor()
  await inTheFuture.getByRole('button', { name: 'Cancel' }).click()
  await inTheFuture.waitFor({ state: 'hidden' })
  const unknown = await move(page, 'crm-sync', 'Events after a given event', ['Id of the event', 'evt_none'])
  await unknown.getByText('No event that is still stored has this id.').waitFor()
  await unknown.getByLabel('Id of the event').fill(ids[0]!)
  await unknown.getByRole('button', { name: 'Move consumer' }).click()
  await page.getByText('The consumer crm-sync was moved.').waitFor()
  await item.getByText('2 waiting').waitFor()
  await item.getByText(/moved /).waitFor()
  await move(page, 'crm-sync', 'The oldest event that is still stored')
  await item.getByText('4 waiting').waitFor()
  await move(page, 'crm-sync', 'Events that are accepted from now on')
  await item.getByText('up to date').waitFor()
  await move(page, 'crm-sync', 'Events since a time', ['Time, in your time zone', '2020-01-01T00:00'])
  await item.getByText('4 waiting').waitFor()

  await page.getByRole('button', { name: 'Create a consumer' }).click()
  await creation.getByRole('textbox', { name: 'Name' }).fill('crm-sync')
  await creation.getByRole('button', { name: 'Create consumer' }).click()
  await creation.getByText('The workspace already has a consumer named crm-sync').waitFor()
  await page.keyboard.press('Escape')
  await creation.waitFor({ state: 'hidden' })

  await page.getByRole('button', { name: 'Delete consumer crm-sync' }).click()
  const deletion = page.getByRole('dialog', { name: 'Delete the consumer crm-sync?' })
  await deletion.getByRole('button', { name: 'Cancel' }).click()
  await deletion.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Delete consumer crm-sync' }).click()
  await deletion.getByRole('button', { name: 'Delete consumer' }).click()
  await page.getByText('The consumer crm-sync was deleted.').waitFor()
  await page.getByText('No consumers yet.').waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('with the keyboard a consumer of chosen types can be created and deleted; a deleted one cannot be moved', async () => {
  const { page, context, faults } = await scene.signedIn(OWNER)
  faults.expectStatus(404)
  const { keyboard } = page
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(`/w/${ads.id}/settings`)
  await tabTo(page, button('Create a consumer'))
  await keyboard.press('Enter')
  const creation = page.getByRole('dialog', { name: 'Create a consumer' })
  await creation.getByRole('textbox', { name: 'Name' }).waitFor()
  await tabTo(page, creation.getByRole('textbox', { name: 'Name' }))
  await keyboard.type('billing')
  await tabTo(page, creation.getByRole('radio', { name: 'All event types' }))
  await keyboard.press('ArrowDown')
  await tabTo(page, button('Create consumer'))
  await keyboard.press('Enter')
  await creation.getByText('Choose at least one event type.').waitFor()
  await tabTo(page, creation.getByRole('checkbox', { name: new RegExp(EVENTS.ads.common) }), true)
  await keyboard.press('Space')
  await tabTo(page, button('Create consumer'))
  await keyboard.press('Enter')
  await creation.getByText('The consumer billing was created.').waitFor()
  await focusKept(page)
  await tabTo(page, button('Done'))
  await keyboard.press('Enter')
  await creation.waitFor({ state: 'hidden' })
  await itemOf(page, 'billing').getByText(EVENTS.ads.common).waitFor()
  await focusKept(page)

  const path = '/api/v1/consumers'
  await scene.api.post(path, { token: ads.key, body: { name: 'short-lived' } })
  await page.reload()
  await button('Move consumer short-lived').waitFor()
  const before = await scene.api.get<object>(path, { token: ads.key })
  await page.route(/\/consumers\?/, (route) => route.fulfill({ json: before }))
  await scene.api.delete(`${path}/short-lived`, { token: ads.key })
  const gone = await move(page, 'short-lived', 'The oldest event that is still stored')
  await gone.getByText('Not found').waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await gone.getByRole('button', { name: 'Cancel' }).click()
  await itemOf(page, 'short-lived').waitFor({ state: 'detached', ...PATIENT })

  await tabTo(page, button('Delete consumer billing'))
  await keyboard.press('Enter')
  const deletion = page.getByRole('dialog', { name: 'Delete the consumer billing?' })
  await deletion.waitFor()
  await tabTo(page, button('Delete consumer'))
  await keyboard.press('Enter')
  await page.getByText('No consumers yet.').waitFor()
  await focusKept(page)
  expect(faults.seen).toEqual([])
  await context.close()
})
