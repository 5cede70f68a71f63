import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RunningService, runService } from './support/service.ts'
import { adsTour } from './tour/ads.ts'
import { contentTour } from './tour/content.ts'
import { type Inbox, openInbox } from './tour/inbox.ts'
import type { Place } from './tour/place.ts'

let service: RunningService
let inbox: Inbox
let place: Place

beforeAll(async () => {
  service = await runService()
})
beforeEach(async () => {
  inbox = await openInbox()
  place = { baseUrl: service.baseUrl, adminToken: service.adminToken, inbox }
  return () => inbox.stop()
})
afterAll(() => service.stop())

test('content: from nothing to a verified event, its log, a redelivery and a test', async () => {
  const tour = await contentTour(place)
  const { posthorn, webhook, published, printed, receiver } = tour
  expect(published).toEqual({ id: expect.stringMatching(/^evt_/), repeated: false })
  const data = expect.objectContaining({ version_id: 'ver_1', actor_id: 'usr_1' })
  expect(printed).toEqual([
    [published.id, 'Chain care in winter'],
    ['version.approved', 'delivered', 1],
    [expect.stringMatching(/^\d were pending; 0 of 0 failed deliveries arrived$/)],
    [published.id, 'version.approved', data],
    [published.id, expect.objectContaining({ type: 'version.approved', data })],
    [expect.stringMatching(/^changed meanwhile, says req_/)],
  ])
  const again = await receiver.verify(tour.again.rawBody, tour.again.headers)
  expect(again).toMatchObject({ id: published.id, event: { type: 'version.approved' } })
  const tested = await receiver.verify(tour.tested.rawBody, tour.tested.headers)
  expect(tested.event.type).toBe('webhook.test')
  expect(await posthorn.webhooks.get(webhook.id)).toMatchObject({ description: 'mine', status: 'on' })
})

test('ads: dead deliveries are replayed, single and in bulk', async () => {
  const { ads, workspace, endpoint, published, printed, dead, replay } = await adsTour(place)
  expect(published.map(({ repeated }) => repeated)).toEqual([false, false])
  expect(printed).toEqual([
    [expect.toBeOneOf(published.map(({ id }) => id)), expect.toBeOneOf(['active', 'paused'])],
    ['1 are dead'],
    ...printed.slice(2, -1),
    ['1 of 1'],
  ])
  expect(dead).toHaveLength(2)
  expect(await ads.replays.get(replay.id)).toMatchObject({ status: 'finished', webhookId: endpoint.id })
  expect(await ads.replays.wait(replay.id)).toMatchObject({ replayed: 1 })
  const log = await ads.deliveries.get(dead[0]!.id)
  expect(log).toMatchObject({ status: 'delivered', eventId: expect.toBeOneOf(published.map(({ id }) => id)) })
  expect(log.attempts.map(({ trigger }) => trigger)).toEqual(['schedule', 'schedule', 'replay'])
  expect(JSON.parse(log.requestBody ?? '')).toMatchObject({ id: log.eventId, workspaceId: workspace.id })
})

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

test.each(['content', 'ads'])('the README shows the tested tour: %s', (name) => {
  const blocks = [...README.matchAll(new RegExp(`^\`\`\`ts ${name} tour\\n([\\s\\S]*?)^\`\`\``, 'gm'))]
  const shown = linesOf(blocks.map(([, code]) => code).join('\n'))
    .filter((line) => !line.startsWith('//'))
    .map((line) => line.replace('@posthorn/client', '../../src/index.ts'))
    .map((line) => line.replace('@posthorn/receiver', '../../../receiver/src/index.ts'))
  expect(shown.length).toBeGreaterThan(10)
  const made = linesOf(readFileSync(new URL(`tour/${name}.ts`, import.meta.url), 'utf8'))
  const imports = shown.filter((line) => line.startsWith('import '))
  for (const line of imports) {
    const [, names = '', module = ''] = /^import \{ (.*) \} from '(.*)'$/.exec(line) ?? []
    const there = made.find((one) => one.endsWith(` from '${module}'`))
    for (const name of names.split(', ')) expect(there).toContain(name)
  }
  // The other lines are in the same order, with test-only lines in between.
  let at = 0
  for (const line of shown.filter((one) => !imports.includes(one))) {
    at = made.indexOf(line, at) + 1
    expect(at, line).toBeGreaterThan(0)
  }
})
