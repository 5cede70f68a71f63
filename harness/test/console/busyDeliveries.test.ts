import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import { EVENTS } from '../../src/support/events.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'owner@acme.example'
/** As many as a workspace may have: each event has one delivery to each of them. */
const WEBHOOKS = 20
const EVENTS_IN_A_BATCH = 500
const MOST_ROWS = 200

let scene: Scene
let workspace: WorkspaceClient
const { common, make } = EVENTS.content

beforeAll(async () => {
  scene = await startScene()
  workspace = await scene.workspace('content', 'acme')
  await scene.member(workspace, OWNER, 'owner')
  for (let i = 0; i < WEBHOOKS; i++)
    await workspace.createWebhook(scene.receiver.urlOf(`/hook/${i}`), [common])
})
afterAll(() => scene.stop())

const publishBatch = () => workspace.publish(Array.from({ length: EVENTS_IN_A_BATCH }, () => make(common)))

test('while ten thousand deliveries arrive, an open list can be read, scrolled and left', async () => {
  const { page, faults, context } = await scene.signedIn(OWNER)
  await publishBatch()
  await page.goto(`/w/${workspace.id}/deliveries`)
  await settled(page)
  // Ends only after all steps below: a batch is in flight at any time.
  let reading = true
  const publishing = (async () => {
    while (reading) await publishBatch()
  })()
  try {
    await page.getByRole('heading', { level: 1 }).hover()
    await page.mouse.wheel(0, 900)
    const gathered = page.getByRole('button', { name: /new deliver/ })
    await gathered.waitFor()
    await eventually(async () => ((await page.evaluate<number>('scrollY')) > 0 ? true : null), {
      withinMs: 20_000,
      what: 'a place further down',
    })
    // Playwright's own click may scroll first, and the button disappears at the top of the page.
    await eventually(
      async () => {
        const place = (await gathered.isVisible()) ? await gathered.boundingBox() : null
        if (place !== null) await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2)
        return (await page.evaluate<number>('scrollY')) === 0 ? true : null
      },
      { withinMs: 20_000, what: 'the top of the page' },
    )
    expect(await page.getByRole('row').count()).toBeLessThanOrEqual(MOST_ROWS + 1)
    await page.getByRole('link', { name: common }).first().click()
    await page.getByRole('heading', { level: 1, name: common }).waitFor()
  } finally {
    reading = false
    await publishing
  }
  expect(faults.seen).toEqual([])
  await context.close()
})
