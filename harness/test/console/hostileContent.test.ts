import { afterAll, beforeAll, expect, test } from 'vitest'
import { OWNER } from '../../src/console/demoWorld.ts'
import { ENDLESS, hostileTexts, labelledAs, shownAs, watchAttacks } from '../../src/console/hostile.ts'
import { hostilePages } from '../../src/console/hostilePages.ts'
import { BODY_TEXTS, CONTENT_TYPES, JSON_TEXTS } from '../../src/console/hostileReplies.ts'
import {
  HOSTILE_SETTINGS,
  type HostileWorld,
  makeHostileWorld,
  WRITTEN,
} from '../../src/console/hostileWorld.ts'
import { faultsAt, readable, unfold } from '../../src/console/intact.ts'
import { REFUSALS, SIGNED_OUT, visit } from '../../src/console/pages.ts'
import type { OpenPage, Scene } from '../../src/console/scene.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import { startScene } from './startScene.ts'

const LONGEST_NAME = 80
const WIDE = 1280
const NARROW = 360

let scene: Scene
let world: HostileWorld

beforeAll(async () => {
  scene = await startScene(HOSTILE_SETTINGS)
  world = await makeHostileWorld(scene)
})
afterAll(() => scene.stop())

/** Signs in, and returns the page and the attacks that succeeded. */
async function arrive(as: string | null) {
  const opened = as === SIGNED_OUT ? await scene.open() : await scene.signedIn(as)
  opened.faults.expectStatus(...REFUSALS)
  return { ...opened, attacks: await watchAttacks(opened.context) }
}

/** Problems of the open page, wide and narrow. */
async function wrongWith({ page }: Pick<OpenPage, 'page'>, name: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of [NARROW, WIDE]) {
    for (const fault of await faultsAt(page, width)) found.push(`${name}, ${width} px: ${fault}`)
  }
  return found
}

async function leave({ context, faults, attacks }: Awaited<ReturnType<typeof arrive>>): Promise<void> {
  expect(attacks).toEqual([])
  expect(faults.seen).toEqual([])
  await context.close()
}

/** JSON escapes some characters; lists omit the scheme of URLs. */
const shapesOf = (text: string) => [
  shownAs(text),
  labelledAs(text),
  shownAs(JSON.stringify(text).slice(1, -1)),
]
const stands = (text: string, read: string) => shapesOf(text).some((shape) => read.includes(shape))

/** The name of a webhook: the shortened first line of its description. */
function nameOf(description: string): string {
  const line = [...description.trim().split('\n', 1)[0]!.trim()]
  return line.length <= LONGEST_NAME ? line.join('') : `${line.slice(0, LONGEST_NAME - 1).join('')}…`
}

const written = (): Readonly<Record<string, readonly string[]>> => ({
  ...WRITTEN,
  url: Object.values(world.urls).map((url) => url.replace(/^https?:\/\//, '')),
  'webhook name': WRITTEN.description.map(nameOf),
  'response body': [...BODY_TEXTS, ...JSON_TEXTS, ENDLESS],
  'content type': CONTENT_TYPES,
})

/** Pages that must show something of each in full. */
const STANDS_ON: Readonly<Record<string, readonly string[]>> = {
  webhooks: ['workspace name', 'webhook name'],
  'webhook-failing': ['url', 'description', 'key name'],
  'webhook-paused': ['url', 'description', 'member name'],
  deliveries: ['webhook name'],
  'delivery-failing': ['url', 'webhook name', 'event title', 'response body', 'content type'],
  'event-type': ['webhook name'],
  'audit-log': ['description', 'key name', 'member name'],
  settings: ['workspace name'],
  embedded: ['webhook name'],
  'ads-endpoints': ['webhook name'],
  'ads-delivery-dead': ['url', 'ads name', 'response body', 'content type'],
  'ads-replay-done': ['webhook name'],
  'operator-health': ['workspace name', 'webhook name'],
  'operator-workspaces': ['workspace name'],
  'operator-workspace': ['workspace name', 'member name', 'email', 'key name'],
  'operator-suspend': ['workspace name'],
  'operator-operators': ['operator name', 'operator email'],
  'operator-operator-remove': ['operator name'],
  'operator-audit-log': ['workspace name', 'operator name'],
  'operator-acme-audit': ['key name', 'member name'],
}

test('on every page and in each of its states, text of others runs nothing, hides nothing and stays in its place', {
  timeout: 600_000,
}, async () => {
  const pages = hostilePages(world)
  expect(Object.keys(STANDS_ON).filter((name) => !pages.some((page) => page.name === name))).toEqual([])
  const all = written()
  const unread = new Set(Object.values(all).flat())
  const wrong: string[] = []
  for (const as of new Set(pages.map((page) => page.as))) {
    const opened = await arrive(as)
    for (const page of pages.filter((one) => one.as === as)) {
      await visit(opened.page, page)
      if (page.reach === undefined) await unfold(opened.page)
      const read = await readUntil(opened, page.name, all).catch((error: Error) => {
        wrong.push(error.message)
        return readable(opened.page)
      })
      for (const text of unread) if (stands(text, read)) unread.delete(text)
      wrong.push(...(await wrongWith(opened, page.name)))
    }
    wrong.push(...opened.faults.seen.map((fault) => `${as}: ${fault}`), ...opened.attacks)
    await opened.context.close()
  }
  expect(wrong.join('\n')).toBe('')
  expect([...unread]).toEqual([])
})

/** @returns the text of a page, once it contains everything that it must show */
const readUntil = ({ page }: Pick<OpenPage, 'page'>, name: string, all: ReturnType<typeof written>) =>
  eventually(
    async () => {
      const read = await readable(page)
      const sources = STANDS_ON[name] ?? []
      return sources.every((source) => all[source]!.some((text) => stands(text, read))) ? read : null
    },
    { withinMs: 10_000, what: `${STANDS_ON[name]?.join(', ')} on ${name}` },
  )

test('menus, messages and questions show names as text too', async () => {
  const [name] = hostileTexts('operator name in a message', 200)
  const operator = await arrive(null)
  const { page } = operator
  await page.goto('/operator/operators')
  await page.getByRole('button', { name: 'Add an operator' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an operator' })
  await dialog.getByLabel('Name').fill(name!)
  await dialog.getByLabel('E-mail address').fill('otto@operations.example')
  await dialog.getByRole('button', { name: 'Add operator', exact: true }).click()
  for (const [message, next] of [
    [
      'can now sign in as an operator',
      () => page.getByRole('button', { name: `Remove operator ${labelledAs(name!)}` }).click(),
    ],
    ['is no longer an operator', null],
  ] as const) {
    await page.getByText(message).waitFor()
    expect(await wrongWith(operator, message)).toEqual([])
    expect(stands(name!, await page.getByText(message).innerText())).toBe(true)
    if (next === null) continue
    await next()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove operator', exact: true }).click()
  }
  await leave(operator)

  const member = await arrive(OWNER)
  await member.page.setViewportSize({ width: NARROW, height: 860 })
  await member.page.goto(`/w/${world.content.id}/webhooks`)
  await member.page.getByRole('button', { name: 'Open the menu' }).click()
  await member.page.getByRole('button', { name: /^Workspace: / }).click()
  await member.page.getByRole('menuitem').first().waitFor()
  const menu = await member.page.getByRole('menu').innerText()
  expect(WRITTEN['workspace name'].filter((one) => !stands(one, menu))).toEqual([])
  expect(await faultsAt(member.page, NARROW)).toEqual([])
  await member.page.goto(await scene.signInLink(WRITTEN.email[0]!))
  await member.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await member.page.getByRole('heading', { name: 'Another user is signed in' }).waitFor()
  expect(stands(WRITTEN.email[0]!, await readable(member.page))).toBe(true)
  expect(await wrongWith(member, 'another person')).toEqual([])
  await leave(member)
})

test('the later of two editors sees the earlier change as text', async () => {
  const [theirs, mine] = hostileTexts('description of two', 900)
  const member = await arrive(OWNER)
  const { page } = member
  await page.goto(`/w/${world.content.id}/webhooks/${world.content.webhooks.gone}`)
  await page.getByRole('button', { name: 'Edit webhook', exact: true }).click()
  await page.getByLabel('Description').fill(mine!)
  const path = `/v1/workspaces/${world.content.id}/webhooks/${world.content.webhooks.gone}`
  const token = await scene.sessionOf(world.content, world.ownerId)
  await scene.api.patch(path, { token, body: { description: theirs } })
  await page.getByRole('button', { name: 'Save changes', exact: true }).click()
  const notice = page.getByRole('alert').filter({ hasText: 'Someone else changed this webhook' })
  await notice.waitFor()
  const read = await notice.innerText()
  expect([theirs!, mine!].filter((text) => !stands(text, read))).toEqual([])
  expect(await wrongWith(member, 'notice')).toEqual([])
  await leave(member)
})

test('invisible characters are rejected in names, descriptions and URLs that do not need them, and so are values that are too long', async () => {
  const refused = async (path: string, token: string, body: object) =>
    expect(scene.api.post(path, { token, body })).rejects.toThrow(/→ 4\d\d .*"invalid_request"/)
  const token = ADMIN_TOKEN
  const { id, key } = world.content
  for (const name of ['Bell\u0007', 'Escape\u001b[31m', 'Line\nend', 'Zero\0', 'x'.repeat(201)]) {
    await refused('/admin/v1/workspaces', token, { dialect: 'content', slug: 'refused', name })
    await refused(`/admin/v1/workspaces/${id}/members`, token, { email: 'x@x.example', name, role: 'owner' })
    await refused(`/admin/v1/workspaces/${id}/keys`, token, { name, scopes: ['webhooks'] })
    await refused('/admin/v1/operators', token, { email: 'x@x.example', name })
  }
  const webhooks = `/v1/workspaces/${id}/webhooks`
  const url = scene.receiver.urlOf('/hook')
  const events = ['version.approved']
  for (const description of ['Escape\u001b[31m', 'Zero\0', 'x'.repeat(1001)]) {
    await refused(webhooks, key, { url, events, description })
  }
  for (const end of ['\u202e', '\u200b', ' ', '\n', '\u001b', 'x'.repeat(2048)]) {
    await refused(webhooks, key, { url: `${url}/${end}x`, events })
  }
})

test('a successful attack would be detected, and the policy of the pages blocks it', async () => {
  const member = await arrive(OWNER)
  const { page, attacks, faults, context } = member
  await page.goto(`/w/${world.blank.content}/webhooks`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate("posthornAttack('by the test')")
  expect(attacks).toEqual(['by the test'])
  await page.evaluate(`document.querySelector('main').innerHTML += \`<p>\\u202eturned</p><p>\\u05d0 and ours</p>
    <p style="white-space: pre">${ENDLESS}</p><img src="data:,x" onerror="posthornAttack(1)">\``)
  await eventually(() => faults.seen.some((fault) => fault.includes('Content Security Policy')) || null, {
    withinMs: 10_000,
    what: 'a refusal by the policy',
  })
  expect(attacks).toEqual(['by the test'])
  const found = (await faultsAt(page, WIDE)).join('\n')
  for (const fault of [
    'px wider than',
    'raw characters in P',
    'direction of P',
    'markup: "<img',
    'is left by',
  ]) {
    expect(found).toContain(fault)
  }
  await context.close()
})
