import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'owner@acme.example'
const SUBJECT = 'winter-2026'
const PATIENCE = { timeout: 60_000 }

let scene: Scene
let workspace: WorkspaceClient
/** The id of an event that two webhooks received, and of one that none did. */
let wanted: string
let unwanted: string

beforeAll(async () => {
  scene = await startScene()
  workspace = await scene.workspace('content', 'acme')
  const { common, rare, make } = EVENTS.content
  for (const path of ['/one', '/other']) await workspace.createWebhook(scene.receiver.urlOf(path), [common])
  ;[wanted, , unwanted] = (await workspace.publish([make(common, SUBJECT), make(common), make(rare)])) as [
    string,
    string,
    string,
  ]
  await scene.member(workspace, OWNER, 'owner')
})
afterAll(() => scene.stop())

test('a search for an entity id finds its event, with its payload and both deliveries', async () => {
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/deliveries`)
  const search = page.getByRole('textbox', { name: 'Search' })
  await page.getByText(/^Finds event and delivery ids, and whole words of these fields: /).waitFor()
  await search.fill(` sch_${SUBJECT} `)
  await page.keyboard.press('Enter')
  const rows = page.locator('table.ph-deliveries tbody tr')
  await expect.poll(() => rows.count(), PATIENCE).toBe(2)
  expect(new URL(page.url()).searchParams.get('q')).toBe(`sch_${SUBJECT}`)
  await expect.poll(() => rows.first().innerText(), PATIENCE).toContain('2 deliveries of this event')
  expect(await rows.nth(1).innerText()).toContain('same event')
  await page.reload()
  await expect.poll(() => rows.count(), PATIENCE).toBe(2)
  // The list stays live: of new deliveries, it shows matches.
  const { common, make } = EVENTS.content
  await workspace.publish([make(common), make(common, SUBJECT)])
  await expect.poll(() => rows.count(), PATIENCE).toBe(4)
  expect(await search.inputValue()).toBe(`sch_${SUBJECT}`)

  await rows.last().locator('td.ph-event small a').click()
  await page.waitForURL(`**/event-log/${wanted}`)
  await expect.poll(() => page.getByText('2 delivered').count(), PATIENCE).toBe(1)
  await expect.poll(() => rows.count(), PATIENCE).toBe(2)
  await expect.poll(() => page.locator('pre').first().innerText(), PATIENCE).toContain(`sch_${SUBJECT}`)

  // Each delivery can be sent again from here, and links to its own page; the event's subject links to all of
  // its events.
  await rows.first().getByRole('button', { name: 'Redeliver event' }).click()
  await page.getByText('The delivery is sent once more.').waitFor(PATIENCE)
  await expect.poll(() => rows.locator('td.ph-count', { hasText: '2' }).count(), PATIENCE).toBe(1)
  await rows.first().getByRole('link').first().click()
  await page.waitForURL('**/webhooks/*/deliveries/*')
  await page.getByRole('link', { name: `sch_${SUBJECT}` }).click()
  await page.waitForURL(`**/event-log?q=sch_${SUBJECT}`)
  const events = page.locator('.ph-event-log > li')
  await expect.poll(() => events.count(), PATIENCE).toBe(2)
  expect(await events.first().innerText()).toContain(`sch_${SUBJECT}`)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('an event that no webhook received is in the list of events, found by words and by several types', async () => {
  const { common, rare } = EVENTS.content
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/event-log`)
  const events = page.locator('.ph-event-log > li')
  await expect.poll(() => events.count(), PATIENCE).toBe(5)
  await page.getByRole('combobox', { name: 'Event type', exact: true }).selectOption(rare)
  await expect.poll(() => events.count(), PATIENCE).toBe(1)
  expect(await events.first().innerText()).toContain('Not sent')
  await page.getByRole('combobox', { name: 'Or event type' }).selectOption(common)
  await expect.poll(() => events.count(), PATIENCE).toBe(5)
  expect(new URL(page.url()).searchParams.get('type')).toBe(`${rare},${common}`)
  await page.getByRole('textbox', { name: 'Search' }).fill('überschrift')
  // As slowly as people press, and next to the icon: the button must not change into another in between.
  const addresses: string[] = []
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  await page
    .getByRole('button', { name: 'Apply the search' })
    .click({ delay: 300, position: { x: 2, y: 11 } })
  await expect.poll(() => events.count(), PATIENCE).toBe(1)
  expect(addresses).toEqual([page.url()])
  await events.first().getByRole('link').click()
  await page.waitForURL(`**/event-log/${unwanted}`)
  await expect
    .poll(() => page.getByText('no enabled webhook subscribed to its type').count(), PATIENCE)
    .toBe(1)
  const four = [rare, common, 'plan.ready', 'plan.saved']
  await page.goto(`/w/${workspace.id}/event-log?type=${four.join()}`)
  const types = page.getByRole('combobox', { name: 'event type' })
  await expect.poll(() => types.count(), PATIENCE).toBe(1)
  await types.selectOption('Edit types')
  await expect.poll(() => types.count(), PATIENCE).toBe(5)
  await expect.poll(() => page.locator('select:focus').inputValue(), PATIENCE).toBe(rare)
  await page.goto(`/w/${workspace.id}/event-log?q=nothing`)
  await expect.poll(() => page.getByText('No event matches').count(), PATIENCE).toBe(1)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => events.count(), PATIENCE).toBe(5)
  expect(faults.seen).toEqual([])
  await context.close()
})
