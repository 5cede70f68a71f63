import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { LoggedDelivery, WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'ilse@northwind.example'
const WITHIN_MS = 90_000
/** Two steps of a replay, and a third without further matches. */
const MANY = 1_200
const ENDPOINTS = 4

let scene: Scene
let workspace: WorkspaceClient

beforeAll(async () => {
  scene = await startScene({
    POSTHORN_ADS_RETRY: '1ms,1ms,1ms,1ms,1ms,1ms,1ms',
    POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK: '50',
  })
  workspace = await scene.workspace('ads', 'northwind', 'Northwind Media')
  await scene.member(workspace, OWNER, 'owner', 'Ilse Brandt')
})
afterAll(() => scene.stop())

/** Endpoints at a failing receiver, with dead deliveries. @returns ids of the endpoints */
async function makeDead(path: string, endpoints: number, count: number): Promise<readonly string[]> {
  const { common, make } = EVENTS.ads
  scene.receiver.answer(path, { status: 503 })
  const ids: string[] = []
  for (let i = 0; i < endpoints; i++) {
    ids.push((await workspace.createWebhook(scene.receiver.urlOf(path), [common])).id)
  }
  await workspace.publish(Array.from({ length: count / endpoints }, () => make(common)))
  await allAre('dead', ids, count)
  return ids
}

const allAre = (status: string, webhookIds: readonly string[], count: number) =>
  eventually(
    async () => {
      const logs = await Promise.all(webhookIds.map((id) => workspace.deliveries(id)))
      const all = logs.flat()
      return all.length === count && all.every((delivery) => delivery.status === status) ? true : null
    },
    { withinMs: WITHIN_MS, everyMs: 500, what: `${count} deliveries that are ${status}` },
  )

const remove = async (webhookIds: readonly string[]) => {
  for (const id of webhookIds) await scene.api.delete(`/api/v1/webhooks/${id}`, { token: workspace.key })
}

const progressOf = async (page: Page) =>
  Number(
    await page.getByRole('progressbar', { name: 'Progress of the replay' }).getAttribute('aria-valuenow'),
  )

test('one dead delivery is replayed from its page once the receiver works again', async () => {
  const endpoints = await makeDead('/one', 1, 1)
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/deliveries`)
  await page.getByText('One delivery is dead').waitFor()
  await page.getByRole('link', { name: EVENTS.ads.common }).first().click()
  await page.getByText('This delivery is dead').waitFor()
  await page.getByRole('heading', { name: '8 attempts' }).waitFor()

  scene.receiver.answer('/one', { status: 200 })
  await page.getByRole('button', { name: 'Replay delivery', exact: true }).click()
  await page.getByText('The delivery restarts its retry schedule.').waitFor()
  await page.getByRole('heading', { name: '9 attempts' }).waitFor()
  await page.getByText('delivered', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Replay delivery', exact: true }).count()).toBe(0)

  const [delivery] = await workspace.deliveries(endpoints[0]!)
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(delivery!.attempts.map(({ statusCode }) => statusCode)).toEqual([...Array(8).fill(503), 200])
  expect(faults.seen).toEqual([])
  await context.close()
  await remove(endpoints)
})

test('for a delivery with omitted oldest attempts, the page counts all of them and says how many it shows', async () => {
  const endpoints = await makeDead('/newest', 1, 1)
  const { page, context, faults } = await scene.signedIn(OWNER)
  // As the service returns a delivery with more than a hundred attempts.
  const newest = (delivery: LoggedDelivery) => ({ ...delivery, attempts: delivery.attempts.slice(-3) })
  await page.route(/\/api\/v1\/webhook-deliveries\/[^/?]+$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: newest(await response.json()) })
  })
  const [delivery] = await workspace.deliveries(endpoints[0]!)
  await page.goto(`/w/${workspace.id}/webhooks/${endpoints[0]}/deliveries/${delivery!.id}`)
  await page.getByRole('heading', { name: '8 attempts' }).waitFor()
  await page.getByText('The newest 3 are shown.').waitFor()
  await page.getByText('Attempt 6', { exact: true }).waitFor()
  expect(await page.getByText('Attempt 5', { exact: true }).count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
  await page.reload()
  await page.getByText('Attempt 1', { exact: true }).waitFor()
  expect(await page.getByText(/are shown/).count()).toBe(0)
  expect(faults.seen).toEqual([])
  await context.close()
  await remove(endpoints)
})

test('selected dead deliveries are replayed and no others, and the page reports one that another user has replayed', async () => {
  const [endpoint] = await makeDead('/each', 1, 4)
  const currentState = async () =>
    Object.fromEntries(
      (await workspace.deliveries(endpoint!)).map(({ id, status, attempts }) => [
        id,
        `${status}, ${attempts.length} attempts`,
      ]),
    )
  const becomes = (expected: Readonly<Record<string, string>>) =>
    expect.poll(currentState, { timeout: 30_000 }).toEqual(expected)
  const [rest, taken, ...chosen] = await workspace.deliveries(endpoint!)
  const [dead, delivered] = ['dead, 8 attempts', 'delivered, 9 attempts'] as const
  const { page, context, faults } = await scene.signedIn(OWNER)
  faults.expectStatus(409)
  await page.goto(`/w/${workspace.id}/deliveries?status=dead`)
  await page.getByText('4 deliveries are dead').waitFor()
  // Hides the changes of another user.
  await page.getByRole('switch', { name: 'Live' }).uncheck()
  for (const { eventId } of [taken!, ...chosen]) {
    await rowOf(page, eventId).getByRole('checkbox').check()
  }
  const bar = page.getByRole('region', { name: 'Selected deliveries' })
  await bar.getByText('3 selected').waitFor()

  scene.receiver.answer('/each', { status: 200 })
  await scene.api.post(`/api/v1/webhook-deliveries/${taken!.id}/replay`, { token: workspace.key })
  await becomes({ ...(await currentState()), [taken!.id]: delivered })
  await bar.getByRole('button', { name: 'Replay 3 deliveries' }).click()
  await bar.getByText('2 of 3 replayed, 1 rejected', { exact: true }).waitFor()
  expect(await bar.getByRole('listitem').allInnerTexts()).toEqual([
    '1: Only dead deliveries can be replayed; this one is delivered.',
  ])
  const arrived = Object.fromEntries([taken!, ...chosen].map(({ id }) => [id, delivered]))
  await becomes({ [rest!.id]: dead, ...arrived })
  await bar.getByRole('button', { name: 'Close' }).click()
  await bar.waitFor({ state: 'hidden' })

  await page.getByRole('button', { name: 'Refresh deliveries' }).click()
  await rowOf(page, chosen[0]!.eventId).waitFor({ state: 'hidden' })
  await rowOf(page, rest!.eventId).getByRole('button', { name: 'Replay delivery of' }).click()
  await bar.getByText('1 of 1 replayed', { exact: true }).waitFor()
  await becomes({ [rest!.id]: delivered, ...arrived })
  expect(faults.seen).toEqual([])
  await context.close()
  await remove([endpoint!])
})

/** Lists shorten ids to their beginning and end. */
const rowOf = (page: Page, eventId: string) => page.getByRole('row').filter({ hasText: eventId.slice(-6) })

test('more than a thousand dead deliveries are counted, replayed and delivered, and a reload in between returns to the progress', async () => {
  const endpoints = await makeDead('/many', ENDPOINTS, MANY)
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/deliveries`)
  await page.getByText('1,200 deliveries are dead').waitFor()
  await page.getByRole('link', { name: 'Replay deliveries' }).click()
  await page.getByText('1,200 deliveries are dead.').waitFor()

  scene.receiver.answer('/many', { status: 200 })
  await page.getByRole('button', { name: 'Replay deliveries…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replay 1,200 deliveries?' })
  await dialog.getByText('1,200 deliveries are sent again').waitFor()
  await dialog.getByRole('button', { name: 'Replay 1,200 deliveries' }).click()

  const heading = page.getByRole('heading', { name: /^Replaying: |were replayed$/ })
  await heading.waitFor()
  await page.reload()
  await heading.waitFor()
  expect(await progressOf(page)).toBeGreaterThanOrEqual(0)
  await page.getByRole('heading', { name: '1,200 deliveries were replayed' }).waitFor({ timeout: WITHIN_MS })
  expect(await progressOf(page)).toBe(100)

  await allAre('delivered', endpoints, MANY)
  await page.getByRole('link', { name: 'Show deliveries' }).click()
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  await page
    .getByRole('row', { name: /^delivered/ })
    .first()
    .waitFor()
  await page.goto(`/w/${workspace.id}/replays`)
  await page.getByText('there is nothing to replay').waitFor()
  expect(await page.getByRole('button', { name: 'Replay deliveries…' }).isDisabled()).toBe(true)
  expect(faults.seen).toEqual([])
  await context.close()
  await remove(endpoints)
})

test('a replay of one endpoint leaves those of the others dead', async () => {
  const broken = await makeDead('/broken', 1, 2)
  // The other endpoint gets these, too.
  const repaired = await makeDead('/repaired', 1, 3)
  await allAre('dead', broken, 5)
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/replays`)
  await page.getByText('8 deliveries are dead.').waitFor()
  scene.receiver.answer('/repaired', { status: 200 })
  await page
    .getByRole('combobox', { name: 'Endpoint' })
    .selectOption({ label: scene.receiver.urlOf('/repaired').replace('http://', '') })
  await page.getByText('3 deliveries are dead.').waitFor()
  await page.getByRole('button', { name: 'Replay deliveries…' }).click()
  await page.getByRole('button', { name: 'Replay 3 deliveries' }).click()
  await page.getByRole('heading', { name: '3 deliveries were replayed' }).waitFor({ timeout: WITHIN_MS })
  await allAre('delivered', repaired, 3)
  await allAre('dead', broken, 5)
  expect(faults.seen).toEqual([])
  await context.close()
})
