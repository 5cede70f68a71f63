import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENDLESS, scriptsFrom, TRICKY, watchAttacks } from '../../src/console/hostile.ts'
import { type OpenPage, Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { LoggedDelivery, WorkspaceClient } from '../../src/support/workspaces.ts'

const OWNER = 'owner@acme.example'
const TYPE = 'generation.ready_for_review'

let scene: Scene
let workspace: WorkspaceClient
let webhook: { readonly id: string }
/** By how the receiver answered. */
const deliveries = new Map<string, LoggedDelivery>()

const REPLIES = {
  markup: { status: 500, body: scriptsFrom('response body'), contentType: 'text/html' },
  json: {
    status: 500,
    body: JSON.stringify({ error: scriptsFrom('response JSON'), [scriptsFrom('JSON key')]: TRICKY }),
    contentType: 'application/json',
  },
  endless: { status: 500, body: ENDLESS, contentType: `text/plain; x="${scriptsFrom('content type')}"` },
  tricky: { status: 500, body: TRICKY.repeat(8), contentType: 'text/plain' },
  bytes: {
    status: 500,
    body: Buffer.from(Array.from({ length: 900 }, (_, i) => (i * 7) % 256)),
    contentType: 'image/svg+xml',
  },
  redirect: {
    status: 302,
    headers: { location: `https://other.example/?${encodeURIComponent(scriptsFrom('location'))}` },
  },
} as const

beforeAll(async () => {
  scene = await Scene.start({ POSTHORN_CONTENT_RETRY: '1h,1h,1h,1h,1h,1h,1h' })
  workspace = await scene.workspace(
    'content',
    'acme',
    `${scriptsFrom('workspace name')} ${TRICKY}`.slice(0, 200),
  )
  await scene.member(workspace, OWNER, 'owner', `${scriptsFrom('member name')}`.slice(0, 100))
  webhook = await addWebhook()
  for (const [kind, reply] of Object.entries(REPLIES)) {
    scene.receiver.answer('/hook', reply)
    const [eventId] = await publishHostile()
    deliveries.set(kind, await attempted(eventId!))
  }
}, 120_000)
afterAll(() => scene.stop())

async function addWebhook(): Promise<{ readonly id: string }> {
  const url = `${scene.receiver.urlOf('/hook')}?q=';posthornAttack('url')//${encodeURIComponent(TRICKY)}&long=${'x'.repeat(1500)}`
  const body = {
    url,
    events: [TYPE],
    description: `${scriptsFrom('description')} ${'D'.repeat(300)}`.slice(0, 1000),
  }
  return scene.api.post(`/v1/workspaces/${workspace.id}/webhooks`, { token: workspace.key, body })
}

const publishHostile = () =>
  workspace.publish([
    {
      type: TYPE,
      content: {
        generation: {
          id: 'gen_1',
          kind: 'article',
          title: `${scriptsFrom('event title')} ${TRICKY}`.slice(0, 250),
          content_id: 'cnt_1',
        },
        version_id: 'ver_1',
        version_number: 1,
      },
    },
  ])

const attempted = (eventId: string) =>
  eventually(
    async () => {
      const found = (await workspace.deliveries(webhook.id)).find((delivery) => delivery.eventId === eventId)
      return found !== undefined && found.attempts.length > 0 ? found : null
    },
    { withinMs: 20_000, what: 'an attempt' },
  )

async function visit({ page }: OpenPage, path: string): Promise<void> {
  await page.goto(path)
  await settled(page)
  expect(
    await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    `${path} is too wide`,
  ).toBeLessThanOrEqual(0)
}

const MOST_FOLDED = 60

/** Opens whatever is folded: what is not drawn cannot attack. @returns how much is open */
async function unfold({ page }: OpenPage): Promise<number> {
  const folded = page.locator('main [aria-expanded="false"]').filter({ visible: true })
  const inPlace = folded.and(page.locator(':not([aria-haspopup])'))
  // Each that opens may have others inside.
  for (let opened = 0; (await inPlace.count()) > 0; opened++) {
    expect(opened, `folded at ${page.url()}`).toBeLessThan(MOST_FOLDED)
    const control = await inPlace.first().elementHandle()
    await control!.click()
    await eventually(async () => ((await control!.getAttribute('aria-expanded')) === 'false' ? null : true), {
      withinMs: 5_000,
      what: `unfolding at ${page.url()}`,
    })
  }
  // Lists over the page: one closes when another opens.
  const lists = await page
    .locator('main [aria-haspopup][aria-expanded="false"]')
    .filter({ visible: true })
    .all()
  for (const list of lists) {
    await list.click()
    await page.keyboard.press('Escape')
  }
  return (await page.locator('main [aria-expanded="true"]').filter({ visible: true }).count()) + lists.length
}

/** Waits until a page shows what somebody wrote who would attack it. */
const showsHostile = ({ page }: OpenPage) =>
  eventually(
    async () => ((await page.locator('main').innerText()).includes('posthornAttack(') ? true : null),
    { withinMs: 15_000, what: `hostile text at ${page.url()}` },
  )

describe.each([{ width: 1280 }, { width: 360 }])('$width px wide', ({ width }) => {
  test('nothing that comes from outside runs or breaks a page; it is shown as text', {
    timeout: 180_000,
  }, async () => {
    const member = await scene.signedIn(OWNER, { width })
    const attacks = await watchAttacks(member.context)
    const base = `/w/${workspace.id}`
    await visit(member, `${base}/webhooks`)
    expect(await member.page.locator('main').innerText()).toContain(
      "<script>posthornAttack('description')</script>",
    )
    for (const [path, isFolded] of [
      ['/deliveries', true],
      [`/webhooks/${webhook.id}`, true],
      [`/events/${TYPE}`, false],
      ['/audit-log', true],
      ['/settings', false],
    ] as const) {
      await visit(member, `${base}${path}`)
      await showsHostile(member)
      expect((await unfold(member)) > 0, `something unfolds at ${path}`).toBe(isFolded)
    }
    expect([...deliveries.keys()]).toEqual(Object.keys(REPLIES))
    for (const [kind, { id }] of deliveries) {
      await visit(member, `${base}/webhooks/${webhook.id}/deliveries/${id}`)
      await showsHostile(member)
      expect(await unfold(member), `attempts open of ${kind}`).toBeGreaterThan(0)
      if (kind === 'markup') {
        await member.page.getByText("<script>posthornAttack('response body')</script>").first().waitFor()
      }
    }
    expect(attacks).toEqual([])
    expect(member.faults.seen).toEqual([])
    await member.context.close()

    const operator = await scene.signedIn(null, { width })
    const others = await watchAttacks(operator.context)
    for (const [path, isFolded] of [
      ['/operator', false],
      ['/operator/workspaces', false],
      [`/operator/workspaces/${workspace.id}`, false],
      ['/operator/audit-log', true],
    ] as const) {
      await visit(operator, path)
      await showsHostile(operator)
      expect((await unfold(operator)) > 0, `something unfolds at ${path}`).toBe(isFolded)
    }
    expect(others).toEqual([])
    expect(operator.faults.seen).toEqual([])
    await operator.context.close()
  })
})

test('an attack that got through would be seen, and the policy of the pages stops it', async () => {
  const member = await scene.signedIn(OWNER)
  const attacks = await watchAttacks(member.context)
  await visit(member, `/w/${workspace.id}/webhooks`)
  await member.page.evaluate("posthornAttack('by the test')")
  expect(attacks).toEqual(['by the test'])
  await member.page.evaluate(`document.body.innerHTML += '<img src="data:,x" onerror="posthornAttack(1)">'`)
  await eventually(
    async () => (member.faults.seen.some((fault) => fault.includes('Content Security Policy')) ? true : null),
    {
      withinMs: 10_000,
      what: 'a refusal by the policy',
    },
  )
  expect(attacks).toEqual(['by the test'])
  await member.context.close()
})
