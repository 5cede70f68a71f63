import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const OPERATOR = 'otto@operations.example'
/** Pages regularly read the state of their workspace. */
const NOTICED_MS = 60_000

let scene: Scene
let workspace: WorkspaceClient

beforeAll(async () => {
  scene = await startScene({ POSTHORN_CONTENT_RETRY: Array(7).fill('10s').join(',') })
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

test('a user with the admin token sees whether all is well; a wrong token is rejected', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/operator')
  await page.getByRole('button', { name: 'Sign in with the admin token' }).click()
  await page.getByLabel('Admin token').fill('not-the-admin-token')
  await page.getByRole('button', { name: 'Sign in as operator' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Admin token').fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Sign in as operator' }).click()
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  await page.getByText('running', { exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/operator')
  expect(faults.seen).toEqual([])
  await context.close()
})

test('Health lists the operator warnings, and shows them first', async () => {
  const { page, context, faults } = await scene.open()
  const text = 'The clock leapt 7 days ahead.'
  await page.route('**/admin/v1/warnings', (route) =>
    route.fulfill({ json: { data: [{ code: 'clock_leapt', text, since: new Date().toISOString() }] } }),
  )
  await page.goto('/operator')
  await page.getByRole('button', { name: 'Sign in with the admin token' }).click()
  await page.getByLabel('Admin token').fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Sign in as operator' }).click()
  await page.getByRole('status').filter({ hasText: '1 warning' }).waitFor()
  await page.getByRole('alert', { name: 'Warnings' }).getByText(text).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a member sees nothing on the pages of operators', async () => {
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto('/operator/workspaces')
  await page.getByText('These pages are for the operators of this service.').waitFor()
  expect((await context.request.get('/admin/v1/workspaces')).status()).toBe(403)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a suspended workspace shows that and holds its deliveries; after resuming they arrive, and the audit log has both', async () => {
  const { common, make } = EVENTS.content
  scene.receiver.answer('/hook', { status: 503 })
  const { id: webhookId } = await workspace.createWebhook(scene.receiver.urlOf('/hook'), [common])
  await workspace.publish([make(common)])
  const { id } = await eventually(
    async () => (await workspace.deliveries(webhookId)).find(({ attempts }) => attempts.length > 0) ?? null,
    { withinMs: 30_000, what: 'a first attempt' },
  )
  const owner = await scene.signedIn(OWNER)
  await owner.page.goto(`/w/${workspace.id}/webhooks/${webhookId}/deliveries/${id}`)
  await owner.page.getByText('pending', { exact: true }).waitFor()

  const operator = await scene.signedIn(null)
  await operator.page.goto('/operator/workspaces')
  await operator.page.getByRole('link', { name: 'Acme Stories' }).click()
  await operator.page.getByRole('button', { name: 'Suspend workspace', exact: true }).click()
  const dialog = operator.page.getByRole('dialog', { name: 'Suspend the workspace Acme Stories?' })
  await dialog.getByRole('button', { name: 'Suspend workspace', exact: true }).click()
  await operator.page.getByText('The workspace was suspended.').waitFor()
  await operator.page.getByText('Nothing is sent to its webhooks').waitFor()
  const sent = scene.receiver.received.length
  scene.receiver.answer('/hook', { status: 200 })

  await owner.page.getByText('This workspace is suspended').waitFor({ timeout: NOTICED_MS })
  // It is due, and not sent.
  await owner.page.getByText('It waits until the workspace is resumed.').waitFor({ timeout: NOTICED_MS })
  expect(scene.receiver.received.length).toBe(sent)
  expect((await workspace.deliveries(webhookId))[0]).toMatchObject({ status: 'pending' })

  await operator.page.getByRole('button', { name: 'Resume workspace', exact: true }).click()
  await operator.page
    .getByRole('dialog', { name: 'Resume the workspace Acme Stories?' })
    .getByRole('button', { name: 'Resume workspace', exact: true })
    .click()
  await operator.page.getByText('The workspace was resumed.').waitFor()
  await owner.page.getByText('delivered', { exact: true }).waitFor({ timeout: NOTICED_MS })
  await owner.page.getByText('This workspace is suspended').waitFor({ state: 'hidden', timeout: NOTICED_MS })
  expect(scene.receiver.received.length).toBe(sent + 1)

  await operator.page.getByRole('link', { name: 'Audit log' }).click()
  for (const deed of ['suspended', 'resumed']) {
    const entry = operator.page
      .getByRole('listitem')
      .filter({ hasText: `Someone with the admin token ${deed} the workspace Acme Stories` })
    await entry.waitFor()
  }
  for (const { faults, context } of [owner, operator]) {
    expect(faults.seen).toEqual([])
    await context.close()
  }
})

test('an operator added by email address signs in with a link, can view workspaces but not change them, and is signed out when removed', async () => {
  const first = await scene.signedIn(null)
  await first.page.goto('/operator/operators')
  await first.page.getByText('No operators yet').waitFor()
  await first.page.getByRole('button', { name: 'Add an operator' }).click()
  const dialog = first.page.getByRole('dialog', { name: 'Add an operator' })
  await dialog.getByLabel('Name').fill('Otto Brandt')
  await dialog.getByLabel('E-mail address').fill(OPERATOR)
  await dialog.getByRole('button', { name: 'Add operator', exact: true }).click()
  const added = first.page
    .getByRole('status')
    .filter({ hasText: 'Otto Brandt can now sign in as an operator' })
  await added.getByText(`They can request a link for ${OPERATOR}`).waitFor()
  await first.page.getByRole('listitem').filter({ hasText: OPERATOR }).waitFor()

  const second = await scene.open()
  await second.page.goto(await scene.signInLink(OPERATOR))
  await second.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await second.page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  await second.page.getByRole('link', { name: 'Operators' }).click()
  await second.page.getByText('Otto Brandt (you)').waitFor()
  await second.page.getByRole('link', { name: 'Workspaces' }).click()
  await second.page.getByRole('link', { name: 'Acme Stories' }).click()
  await second.page.getByRole('link', { name: 'Open workspace' }).click()
  await second.page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  await second.page
    .getByText(
      'You are viewing this workspace as an operator. You can send tests and resend deliveries, but you cannot change anything.',
    )
    .waitFor()
  await second.page.getByRole('link', { name: 'Open the operator page' }).waitFor()
  await second.page.getByRole('link', { name: scene.receiver.urlOf('/hook').replace('http://', '') }).click()
  await second.page.getByRole('heading', { name: 'Settings', level: 2 }).waitFor()
  for (const name of ['Edit webhook', 'Pause webhook', 'Delete webhook']) {
    expect(await second.page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
  }

  await first.page.getByRole('button', { name: 'Remove operator Otto Brandt' }).click()
  await first.page
    .getByRole('dialog', { name: 'Remove the operator Otto Brandt?' })
    .getByRole('button', { name: 'Remove operator', exact: true })
    .click()
  await first.page.getByText('Otto Brandt is no longer an operator').waitFor()
  await added.waitFor({ state: 'hidden' })
  await second.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor({ timeout: NOTICED_MS })
  expect((await second.context.request.get('/admin/v1/workspaces')).status()).toBe(401)
  for (const { faults, context } of [first, second]) {
    expect(faults.seen).toEqual([])
    await context.close()
  }
})
