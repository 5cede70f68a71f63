import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { eventually } from '../../src/support/waiting.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const TYPES = { content: EVENTS.content.common, ads: EVENTS.ads.common } as const
const SERVICES = [['content'], ['ads']] as const

let scene: Scene

beforeAll(async () => {
  scene = await startScene({ POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE: '1000' })
})
afterAll(() => scene.stop())

test.each(SERVICES)(
  'the one failing webhook of many comes first, and search and state find it: %s',
  async (service) => {
    const { receiver } = scene
    const type = TYPES[service]
    const workspace = await scene.workspace(service, `many-${service}`, 'Many')
    await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
    const broken = `/broken-${service}`
    receiver.answer(broken, { status: 500 })
    const { id } = await workspace.createWebhook(receiver.urlOf(broken), [type])
    for (let i = 0; i < 12; i++)
      await workspace.createWebhook(receiver.urlOf(`/fine-${service}-${i}`), [type])
    await workspace.publish([EVENTS[service].make(type)])
    await eventually(() => (receiver.at(broken).length > 0 ? true : null), {
      withinMs: 20_000,
      what: 'the failed attempt',
    })

    const { page, context, faults } = await scene.signedIn(OWNER)
    await page.goto(`/w/${workspace.id}/webhooks`)
    const rows = page.locator('li.ph-row')
    await expect.poll(() => rows.first().innerText(), { timeout: 30_000 }).toContain(broken)
    expect(await rows.count()).toBe(13)

    await page.getByLabel('Order').selectOption('Newest first')
    await expect.poll(() => rows.first().innerText()).toContain(`/fine-${service}-11`)
    await page.getByRole('button', { name: 'Failing', exact: true }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByRole('searchbox', { name: 'Search' }).fill(`NE-${service}-1`)
    await expect.poll(() => rows.count()).toBe(3)
    expect(new URL(page.url()).searchParams.get('q')).toBe(`NE-${service}-1`)
    await page.reload()
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('searchbox', { name: 'Search' }).fill(id)
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like this')
    await page.getByText(/No (webhook|endpoint) matches/).waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await expect.poll(() => rows.count()).toBe(13)
    expect(faults.seen).toEqual([])
    await context.close()
  },
)

test('the banner names the first twenty failing webhooks, and links to all of them', async () => {
  const { receiver } = scene
  const type = TYPES.ads
  const workspace = await scene.workspace('ads', 'outage', 'Outage')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  receiver.answer('/down', { status: 500 })
  for (let i = 0; i < 22; i++) await workspace.createWebhook(receiver.urlOf('/down'), [type])
  await workspace.createWebhook(receiver.urlOf('/up'), [type])
  await workspace.publish([EVENTS.ads.make(type)])
  await eventually(() => (receiver.at('/down').length >= 22 ? true : null), {
    withinMs: 20_000,
    what: 'the failed attempts',
  })

  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/webhooks`)
  const banner = page.getByRole('status').filter({ hasText: '22 of 23 enabled endpoints are failing' })
  await banner.getByRole('link', { name: 'and 2 more' }).click({ timeout: 30_000 })
  await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe('failing')
  await expect.poll(() => page.locator('li.ph-row').count()).toBe(22)
  await page.locator('li.ph-row').first().getByRole('link').first().click()
  await page.getByRole('alert').filter({ hasText: 'Every attempt since' }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})
