import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CustomerReceiver } from '../../src/console/receiver.ts'
import { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { makeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'
import { WalkingClock } from '../../src/support/walkingClock.ts'
import type { LoggedDelivery, WorkspaceClient } from '../../src/support/workspaces.ts'

const OWNER = 'owner@acme.example'
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Age of the first event. */
const AGO_MS = 3 * HOUR_MS
const ANSWERS = [204, 404, 500, 503] as const

let scene: Scene
let workspace: WorkspaceClient
let early: { readonly at: number; readonly event: string }
let lately: string
let log: readonly LoggedDelivery[]

beforeAll(async () => {
  const at = Date.now() - AGO_MS
  const clock = new WalkingClock(makeDirectory(), at)
  scene = await Scene.start({ POSTHORN_CONTENT_RETRY: '1ms,1ms,1ms,1ms,1ms,1ms,1ms', ...clock.settings })
  workspace = await scene.workspace('content', 'acme')
  const webhooks: string[] = []
  for (const url of await receivers()) {
    webhooks.push((await workspace.createWebhook(url, [EVENTS.content.common])).id)
  }
  early = { at, event: await deliver(webhooks) }
  await clock.leapTo(Date.now(), scene.service)
  lately = await deliver(webhooks)
  log = await read(webhooks)
  await scene.member(workspace, OWNER, 'owner')
})
afterAll(() => scene.stop())

/** One receiver for each answer, and one that is not running. */
async function receivers(): Promise<readonly string[]> {
  for (const status of ANSWERS) scene.receiver.answer(`/${status}`, { status })
  const left = await CustomerReceiver.start()
  const urls = [...ANSWERS.map((status) => scene.receiver.urlOf(`/${status}`)), left.urlOf('/left')]
  await left.stop()
  return urls
}

const read = async (webhookIds: readonly string[]) =>
  (await Promise.all(webhookIds.map((id) => workspace.deliveries(id)))).flat()

/** Publishes an event and waits until none of its deliveries is pending. @returns its id */
async function deliver(webhookIds: readonly string[]): Promise<string> {
  const { common, make } = EVENTS.content
  const [event] = await workspace.publish([make(common)])
  return eventually(
    async () => {
      const made = (await read(webhookIds)).filter(({ eventId }) => eventId === event)
      const over = made.every(({ status }) => status !== 'pending')
      return made.length === webhookIds.length && over ? event! : null
    },
    { withinMs: 60_000, everyMs: 100, what: 'the end of all deliveries' },
  )
}

/** The result of the latest attempt. */
const codeOf = ({ attempts }: LoggedDelivery) => attempts.at(-1)!.statusCode

/** The ids of the deliveries that the list shows. */
const rowsOf = (page: Page) =>
  page.evaluate<string[]>(
    `Array.from(document.querySelectorAll('tbody tr a.ph-cover'), (link) => link.pathname.split('/').pop())`,
  )

async function shows(page: Page, matches: (delivery: LoggedDelivery) => boolean): Promise<void> {
  const expected = log.filter(matches).map(({ id }) => id)
  await expect.poll(async () => (await rowsOf(page)).sort(), { timeout: 20_000 }).toEqual(expected.sort())
}

const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

/** In the format of the browser, which is set to Zurich. @param at Unix ms */
const typedTime = (at: number) =>
  new Date(at).toLocaleString('sv-SE', { timeZone: 'Europe/Zurich' }).slice(0, 16).replace(' ', 'T')

const isoMinute = (at: number) => new Date(Math.floor(at / MINUTE_MS) * MINUTE_MS).toISOString()

const statusCode = (page: Page) => page.getByRole('combobox', { name: 'Status code' })
const eventId = (page: Page) => page.getByRole('textbox', { name: 'Search' })
const time = (page: Page) => page.getByRole('combobox', { name: 'Time' })

/** A filter to set, and the expected result. */
interface Case {
  readonly name: string
  set(page: Page): Promise<void>
  readonly matches: (delivery: LoggedDelivery) => boolean
  readonly search: () => Readonly<Record<string, string>>
  /** Checks its controls, also after a reload. */
  readonly shown: (page: Page) => Promise<void>
}

const chooseCode = (choice: string) => (page: Page) => statusCode(page).fill(choice)
const valueIs =
  (control: (page: Page) => ReturnType<typeof statusCode>, value: () => string) => (page: Page) =>
    expect.poll(() => control(page).inputValue(), { timeout: 10_000 }).toBe(value())

const from = () => early.at - HOUR_MS
const to = () => early.at + 90 * MINUTE_MS

const CASES: readonly Case[] = [
  {
    name: 'a class of status codes',
    set: chooseCode('5xx'),
    matches: (delivery) => [500, 503].includes(codeOf(delivery) ?? 0),
    search: () => ({ code: '5xx' }),
    shown: valueIs(statusCode, () => '5xx'),
  },
  {
    name: 'one status code',
    set: (page) => statusCode(page).fill('404'),
    matches: (delivery) => codeOf(delivery) === 404,
    search: () => ({ code: '404' }),
    shown: valueIs(statusCode, () => '404'),
  },
  {
    name: 'no response',
    set: chooseCode('no response'),
    matches: (delivery) => codeOf(delivery) === null,
    search: () => ({ code: 'none' }),
    shown: valueIs(statusCode, () => 'no response'),
  },
  {
    name: 'an event id',
    set: async (page) => {
      await eventId(page).fill(` ${early.event} `)
      await page.keyboard.press('Enter')
    },
    matches: (delivery) => delivery.eventId === early.event,
    search: () => ({ q: early.event }),
    shown: valueIs(eventId, () => early.event),
  },
  {
    name: 'the last hour',
    set: async (page) => void (await time(page).selectOption({ label: 'Last hour' })),
    matches: (delivery) => delivery.eventId === lately,
    search: () => ({ period: '1h' }),
    shown: valueIs(time, () => '1h'),
  },
  {
    name: 'one time to another',
    set: async (page) => {
      await time(page).selectOption({ label: 'From … to …' })
      await page.getByLabel('From', { exact: true }).fill(typedTime(from()))
      await page.getByLabel('To', { exact: true }).fill(typedTime(to()))
    },
    matches: (delivery) => delivery.eventId === early.event,
    search: () => ({ from: isoMinute(from()), to: isoMinute(to()) }),
    shown: async (page) => {
      expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(typedTime(from()))
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(typedTime(to()))
    },
  },
]

test('deliveries can be filtered by answer, event and time, and a reload of the address shows the same matches', async () => {
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/deliveries`)
  await shows(page, () => true)
  for (const { name, set, matches, search, shown } of CASES) {
    expect(log.filter(matches).length, name).toBeGreaterThan(0)
    await set(page)
    await shows(page, matches)
    expect(searchOf(page), name).toEqual(search())
    await page.reload()
    await shows(page, matches)
    await shown(page)
    expect(searchOf(page), name).toEqual(search())
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, () => true)
    expect(searchOf(page), name).toEqual({})
  }
  expect(faults.seen).toEqual([])
  await context.close()
})

test('filters combine, their address shows the same in another tab, and an empty result says so', async () => {
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/${workspace.id}/deliveries`)
  await chooseCode('5xx')(page)
  await shows(page, (delivery) => codeOf(delivery)! >= 500)
  await time(page).selectOption({ label: 'Last hour' })
  const both = (delivery: LoggedDelivery) => codeOf(delivery)! >= 500 && delivery.eventId === lately
  await shows(page, both)

  const tab = await context.newPage()
  await tab.goto(page.url())
  await shows(tab, both)
  await tab.close()

  await eventId(page).fill(early.event)
  await eventId(page).blur()
  await page.getByText('No delivery matches these filters').waitFor()
  expect(searchOf(page)).toEqual({ code: '5xx', period: '1h', q: early.event })
  await page.getByRole('main').getByRole('button', { name: 'Clear the search' }).click()
  await shows(page, both)
  // Going back restores the earlier filters.
  await page.goBack()
  await page.getByText('No delivery matches these filters').waitFor()
  await page.goBack()
  await shows(page, both)
  expect(faults.seen).toEqual([])
  await context.close()
})
