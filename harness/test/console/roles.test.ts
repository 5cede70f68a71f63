import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenPage, Role, Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import { EVENTS } from '../../src/support/events.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const PEOPLE: Readonly<Record<Role, string>> = {
  owner: 'olga@acme.example',
  editor: 'emil@acme.example',
  viewer: 'vera@acme.example',
}
const STRANGER = 'sam@elsewhere.example'
/** Pages regularly check their user's rights. */
const NOTICED_MS = 60_000

const CONSUMER = 'crm-sync'
const consumersPath = ({ id, scheme }: WorkspaceClient) =>
  scheme === 'standard' ? `/v1/workspaces/${id}/consumers` : '/api/v1/consumers'

/** A workspace with a consumer, a webhook and a finished delivery. */
interface Setting {
  readonly workspace: WorkspaceClient
  readonly webhookId: string
  readonly deliveryId: string
}

let scene: Scene
let content: Setting
let ads: Setting

beforeAll(async () => {
  scene = await startScene({ POSTHORN_ADS_RETRY: '1ms,1ms,1ms,1ms,1ms,1ms,1ms' })
  scene.receiver.answer('/ads', { status: 500 })
  content = await makeSetting('content', 'acme-stories', 'Acme Stories')
  ads = await makeSetting('ads', 'acme-ads', 'Acme Ads')
  const elsewhere = await scene.workspace('content', 'elsewhere', 'Elsewhere')
  await scene.member(elsewhere, STRANGER, 'owner', 'Sam')
})
afterAll(() => scene.stop())

async function makeSetting(dialect: 'content' | 'ads', slug: string, name: string): Promise<Setting> {
  const workspace = await scene.workspace(dialect, slug, name)
  for (const [role, email] of Object.entries(PEOPLE)) await scene.member(workspace, email, role as Role)
  const { common, make } = EVENTS[dialect]
  await scene.api.post(consumersPath(workspace), { token: workspace.key, body: { name: CONSUMER } })
  const { id: webhookId } = await workspace.createWebhook(scene.receiver.urlOf(`/${dialect}`), [common])
  await workspace.publish([make(common)])
  const { id: deliveryId } = await eventually(
    async () => (await workspace.deliveries(webhookId)).find(({ status }) => status !== 'pending') ?? null,
    { withinMs: 30_000, what: 'a finished delivery' },
  )
  return { workspace, webhookId, deliveryId }
}

interface Changeable {
  readonly path: string
  /** Names of the controls that change something there. */
  readonly names: readonly string[]
  /** Visible to everyone once the page has loaded everything that decides what it offers. */
  readonly read: RegExp | string
}

/** Pages with controls that change something. */
function changes({ workspace, webhookId, deliveryId }: Setting): readonly Changeable[] {
  const base = `/w/${workspace.id}`
  const one = `${base}/webhooks/${webhookId}`
  const dialect = workspace.scheme === 'standard' ? 'content' : 'ads'
  const noun = dialect === 'content' ? 'webhook' : 'endpoint'
  const common = [
    {
      path: `${base}/webhooks`,
      names: ['Add a webhook', 'Add an endpoint'],
      read: scene.receiver.urlOf(`/${dialect}`).replace('http://', ''),
    },
    {
      path: one,
      names: [
        ...['Edit', 'Delete', 'Pause', 'Disable'].map((verb) => `${verb} ${noun}`),
        ...['Send a test', 'Rotate secret', 'Recover deliveries…'],
      ],
      read: EVENTS[dialect].common,
    },
    {
      path: `${one}/deliveries/${deliveryId}`,
      names: ['Redeliver event', 'Replay delivery'],
      read: /^\d attempts?$/,
    },
    {
      path: `${base}/settings`,
      names: [
        'Add operational webhook',
        'Create a consumer',
        `Move consumer ${CONSUMER}`,
        `Delete consumer ${CONSUMER}`,
      ],
      read: CONSUMER,
    },
  ]
  if (dialect === 'content') return common
  return [
    ...common,
    {
      path: `${base}/replays`,
      names: ['Replay deliveries…'],
      read: /^(1 delivery is dead\.|Only owners can replay)/,
    },
    { path: `${base}/deliveries`, names: ['Replay deliveries'], read: EVENTS.ads.common },
  ]
}

async function openChangeable({ page }: OpenPage, { path, read }: Changeable): Promise<void> {
  await page.goto(path)
  await settled(page)
  await page.getByRole('main').getByText(read).filter({ visible: true }).first().waitFor()
}

/** The controls among these that a page shows to its viewer. */
async function offered({ page }: OpenPage, names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of names) {
    const inMain = page.getByRole('main')
    const controls = inMain
      .getByRole('button', { name, exact: true })
      .or(inMain.getByRole('link', { name, exact: true }))
    if ((await controls.count()) > 0) found.push(name)
  }
  return found
}

const auditLogLinks = ({ page }: OpenPage) =>
  page.getByRole('link', { name: 'Audit log', exact: true }).count()

const ask = ({ context }: OpenPage, method: string, path: string, ws: string, data: unknown = {}) =>
  context.request.fetch(path, {
    method,
    data,
    headers: { origin: scene.url, 'posthorn-workspace': ws },
  })

/** Every change that a member can make over the API. */
function writes(setting: Setting): readonly (readonly [string, string])[] {
  const consumers = consumersPath(setting.workspace)
  return [
    ...writesToWebhooks(setting),
    ['POST', consumers],
    ['POST', `${consumers}/${CONSUMER}/seek`],
    ['POST', `${consumers}/${CONSUMER}/ack`],
    ['DELETE', `${consumers}/${CONSUMER}`],
  ]
}

function writesToWebhooks({
  workspace,
  webhookId,
  deliveryId,
}: Setting): readonly (readonly [string, string])[] {
  if (workspace.scheme === 'standard') {
    const webhooks = `/v1/workspaces/${workspace.id}/webhooks`
    const one = `${webhooks}/${webhookId}`
    return [
      ['POST', webhooks],
      ['PATCH', one],
      ['DELETE', one],
      ['POST', `${one}/rotate-secret`],
      ['POST', `${one}/test`],
      ['POST', `${one}/deliveries/${deliveryId}/redeliver`],
    ]
  }
  const one = `/api/v1/webhooks/${webhookId}`
  return [
    ['POST', '/api/v1/webhooks'],
    ['PATCH', one],
    ['DELETE', one],
    ['POST', `${one}/rotate-secret`],
    ['POST', `/api/v1/webhook-deliveries/${deliveryId}/replay`],
    ['POST', '/api/v1/webhook-deliveries/replay'],
  ]
}

describe.each(['content', 'ads'] as const)('%s', (dialect) => {
  const setting = () => (dialect === 'content' ? content : ads)

  test.each(['viewer', 'editor'] as const)(
    'a user who is %s sees everything, gets no controls for changes, and cannot change anything',
    async (role) => {
      const { workspace } = setting()
      const opened = await scene.signedIn(PEOPLE[role])
      for (const page of changes(setting())) {
        const { path, names } = page
        await openChangeable(opened, page)
        expect(await opened.page.getByText(/^(Not allowed|Request failed)$/).count(), path).toBe(0)
        expect(await offered(opened, names), path).toEqual([])
      }
      await opened.page.goto(`/w/${workspace.id}/webhooks/new`)
      await opened.page.getByText('Only owners of this workspace can add').waitFor()
      expect(await opened.page.getByRole('textbox').count()).toBe(0)
      expect(await auditLogLinks(opened)).toBe(0)
      await opened.page.goto(`/w/${workspace.id}/audit-log`)
      await opened.page.getByRole('heading', { name: 'The audit log is for owners' }).waitFor()
      for (const [method, path] of writes(setting())) {
        const answer = await ask(opened, method, path, workspace.id)
        const { code } = (await answer.json()) as { readonly code: string }
        expect([answer.status(), code], `${method} ${path}`).toEqual([403, 'role_missing'])
      }
      expect(opened.faults.seen).toEqual([])
      await opened.context.close()
    },
  )

  test('an owner gets every control', async () => {
    const opened = await scene.signedIn(PEOPLE.owner)
    const never =
      dialect === 'content'
        ? ['Add an endpoint', 'Replay delivery']
        : ['Add a webhook', 'Pause endpoint', 'Disable endpoint', 'Redeliver event']
    for (const page of changes(setting())) {
      const { path, names } = page
      await openChangeable(opened, page)
      const expected = names.filter((name) => !never.includes(name))
      await eventually(async () => ((await offered(opened, names)).length >= expected.length ? true : null), {
        withinMs: 15_000,
        what: `all of ${expected.join(', ')} at ${path}`,
      })
      expect(await offered(opened, names), path).toEqual(expected)
    }
    expect(await auditLogLinks(opened)).toBe(1)
    await opened.page.goto(`/w/${setting().workspace.id}/audit-log`)
    for (const [verb, who, role] of [
      ['An operator of the service added the member', PEOPLE.editor, 'as editor'],
      ['An operator of the service created a sign-in link for the member', PEOPLE.owner, ''],
      ['You', 'signed in', ''],
    ]) {
      const entry = opened.page.getByRole('listitem').filter({ hasText: `${verb} ${who} ${role}`.trim() })
      await entry.first().waitFor()
    }
    expect(opened.faults.seen).toEqual([])
    await opened.context.close()
  })

  test('a member of another workspace finds nothing here, neither in the console nor over the API', async () => {
    const { workspace, webhookId, deliveryId } = setting()
    const opened = await scene.signedIn(STRANGER)
    const one = `/w/${workspace.id}/webhooks/${webhookId}`
    for (const path of [`/w/${workspace.id}/webhooks`, one, `${one}/deliveries/${deliveryId}`]) {
      await opened.page.goto(path)
      await opened.page.getByText('You are not a member of a workspace').waitFor()
      expect(await opened.page.locator('body').innerText()).not.toContain('Acme')
    }
    for (const [method, path] of writes(setting())) {
      expect((await ask(opened, method, path, workspace.id)).status(), `${method} ${path}`).toBe(404)
    }
    const reads =
      dialect === 'content'
        ? [`/v1/workspaces/${workspace.id}/webhooks`, `/v1/workspaces/${workspace.id}/deliveries`]
        : ['/api/v1/webhooks', '/api/v1/webhook-deliveries']
    for (const path of [...reads, `/console/v1/workspaces/${workspace.id}/stats?period=1h`]) {
      const answer = await opened.context.request.get(path, {
        headers: { 'posthorn-workspace': workspace.id },
      })
      expect(answer.status(), path).toBe(404)
    }
    await opened.page.getByRole('link', { name: 'Go to your workspace' }).click()
    await opened.page.getByRole('button', { name: 'Workspace: Elsewhere. Switch workspace' }).waitFor()
    expect(opened.faults.seen).toEqual([])
    await opened.context.close()
  })
})

test('an owner pauses and resumes a webhook, and every viewer sees it', async () => {
  const { workspace, webhookId } = content
  const owner = await scene.signedIn(PEOPLE.owner)
  const viewer = await scene.signedIn(PEOPLE.viewer)
  const path = `/w/${workspace.id}/webhooks/${webhookId}`
  await owner.page.goto(path)
  await viewer.page.goto(path)
  await owner.page.getByRole('button', { name: 'Pause webhook', exact: true }).click()
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Pause webhook' }).click()
  await owner.page.getByText('The webhook was paused.').waitFor()
  await viewer.page.getByText('This webhook is paused: nothing is sent').waitFor({ timeout: NOTICED_MS })
  await owner.page.getByRole('button', { name: 'Resume webhook', exact: true }).click()
  await owner.page.getByText('The webhook was resumed.').waitFor()
  await viewer.page
    .getByText('This webhook is paused: nothing is sent')
    .waitFor({ state: 'hidden', timeout: NOTICED_MS })
  for (const { faults, context } of [owner, viewer]) {
    expect(faults.seen).toEqual([])
    await context.close()
  }
})

test('a member of two workspaces of two services switches between them, and returns to the last one', async () => {
  const { page, context, faults } = await scene.signedIn(PEOPLE.viewer)
  await page.goto(`/w/${content.workspace.id}/webhooks`)
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  await page.getByRole('link', { name: scene.receiver.urlOf('/content').replace('http://', '') }).waitFor()
  await page.getByRole('button', { name: 'Workspace: Acme Stories. Switch workspace' }).click()
  await page.getByRole('menuitem', { name: 'Acme Ads' }).click()
  await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  // A webhook that fails by now is also named above the list.
  const endpoints = page.getByRole('list', { name: 'Endpoints' })
  await endpoints.getByRole('link', { name: scene.receiver.urlOf('/ads').replace('http://', '') }).waitFor()
  expect(await page.getByText(scene.receiver.urlOf('/content').replace('http://', '')).count()).toBe(0)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Workspace: Acme Ads. Switch workspace' }).click()
  await page.getByRole('menuitem', { name: 'Acme Stories' }).click()
  await page.getByRole('link', { name: scene.receiver.urlOf('/content').replace('http://', '') }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

const leaveWorkspace = ({ workspace }: Setting, id: string) =>
  scene.api.delete(`/admin/v1/workspaces/${workspace.id}/members/${id}`, { token: ADMIN_TOKEN })

test('a member removed while using the console sees that, reads nothing more, and gets a link to what is left', async () => {
  const email = 'rita@acme.example'
  const id = await scene.member(content.workspace, email, 'owner')
  await scene.member(ads.workspace, email, 'viewer')
  const opened = await scene.signedIn(email)
  opened.faults.expectStatus(404)
  const { page, context, faults } = opened
  await page.goto(`/w/${content.workspace.id}/webhooks/${content.webhookId}`)
  await page.getByRole('button', { name: 'Pause webhook', exact: true }).waitFor()

  await leaveWorkspace(content, id)
  await page.getByText('You are not a member of a workspace').waitFor({ timeout: NOTICED_MS })
  expect(await page.getByText(scene.receiver.urlOf('/content').replace('http://', '')).count()).toBe(0)
  const read = await context.request.get(`/v1/workspaces/${content.workspace.id}/webhooks`)
  expect(read.status()).toBe(404)
  await page.getByRole('link', { name: 'Go to your workspace' }).click()
  await page.getByRole('button', { name: 'Workspace: Acme Ads. Switch workspace' }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a member removed from the only workspace is signed out with a possible reason', async () => {
  const email = 'ria@acme.example'
  const id = await scene.member(content.workspace, email, 'viewer')
  const { page, context, faults } = await scene.signedIn(email)
  await page.goto(`/w/${content.workspace.id}/webhooks`)
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  await leaveWorkspace(content, id)
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.waitFor({ timeout: NOTICED_MS })
  await ended.getByText('you may have been removed').waitFor()
  const read = await context.request.get(`/v1/workspaces/${content.workspace.id}/webhooks`)
  expect(read.status()).toBe(401)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a member who becomes a viewer in between can no longer change anything', async () => {
  const email = 'nils@acme.example'
  const id = await scene.member(content.workspace, email, 'owner')
  const { page, context, faults } = await scene.signedIn(email)
  await page.goto(`/w/${content.workspace.id}/webhooks/${content.webhookId}`)
  const pause = page.getByRole('button', { name: 'Pause webhook', exact: true })
  await pause.waitFor()
  const members = `/admin/v1/workspaces/${content.workspace.id}/members`
  await scene.api.patch(`${members}/${id}`, { token: ADMIN_TOKEN, body: { role: 'viewer' } })
  await pause.waitFor({ state: 'detached', timeout: NOTICED_MS })
  expect(await page.getByRole('button', { name: 'Edit webhook', exact: true }).count()).toBe(0)
  expect(faults.seen).toEqual([])
  await context.close()
})
