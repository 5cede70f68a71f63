import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const PATIENT = { timeout: 60_000 }

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

test.each([
  { service: 'content', slug: 'acme' },
  { service: 'ads', slug: 'acme-ads' },
] as const)(
  'in $service an owner limits a webhook, sees how many deliveries wait and until when, and removes the limit',
  async ({ service, slug }) => {
    const { receiver } = scene
    const type = EVENTS[service].common
    const hook = `/${service}`
    const workspace: WorkspaceClient = await scene.workspace(service, slug, 'Acme')
    await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
    const { id } = await workspace.createWebhook(receiver.urlOf(hook), [type])
    const { page, context, faults } = await scene.signedIn(OWNER)
    await page.goto(`/w/${service === 'ads' ? workspace.id : slug}/webhooks/${id}`)

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Rate limit').fill('often')
    await page.getByRole('button', { name: 'Save changes', exact: true }).click()
    await page.getByText('Enter a number such as 5 or 0.5.').waitFor(PATIENT)
    await page.getByLabel('Rate limit').fill('0.5')
    await page.getByLabel('Concurrent attempts').fill('2')
    await page.getByRole('button', { name: 'Save changes', exact: true }).click()
    await page.getByText('at most 0.5 per second, at most 2 at once').waitFor(PATIENT)

    const events = Array.from({ length: 40 }, () => EVENTS[service].make(type))
    await workspace.publish(events)
    await page.getByText(/deliveries wait because of the limit/).waitFor(PATIENT)
    await page
      .getByText(/Without new events, all of them will be sent (in \d+ (s|min)|within seconds)/)
      .waitFor(PATIENT)
    await page.getByRole('row', { name: 'due; may wait for the limit' }).first().waitFor(PATIENT)
    await page.getByText(/wait for the limit\. All are due, so there is nothing to retry\./).waitFor(PATIENT)
    expect(await page.getByRole('button', { name: 'Retry pending deliveries' }).isDisabled()).toBe(true)
    expect(receiver.at(hook).length).toBeLessThan(30)

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Rate limit').fill('')
    await page.getByLabel('Concurrent attempts').fill('')
    await page.getByRole('button', { name: 'Save changes', exact: true }).click()
    await eventually(() => (receiver.at(hook).length >= 40 ? true : null), {
      withinMs: 20_000,
      what: 'all events once there is no limit',
    })
    await page.getByText(/deliveries wait because of the limit/).waitFor({ state: 'hidden', ...PATIENT })
    expect(receiver.at(hook)).toHaveLength(40)
    expect(faults.seen).toEqual([])
    await context.close()
  },
)
