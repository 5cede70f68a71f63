import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenPage, Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const ANNA = 'anna@acme.example'
const BEN = 'ben@acme.example'
const TYPE = 'version.approved'

interface WebhookJson {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
}

let scene: Scene
let workspace: WorkspaceClient
let webhooks: string
let webhook: WebhookJson

beforeAll(async () => {
  scene = await startScene()
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, ANNA, 'owner', 'Anna')
  await scene.member(workspace, BEN, 'owner', 'Ben')
  webhooks = `/v1/workspaces/${workspace.id}/webhooks`
})
beforeEach(async () => {
  const body = { url: scene.receiver.urlOf('/hook'), events: [TYPE], description: 'As it was' }
  webhook = await scene.api.post<WebhookJson>(webhooks, { token: workspace.key, body })
})
afterAll(() => scene.stop())

const stored = () => scene.api.get<WebhookJson>(`${webhooks}/${webhook.id}`, { token: workspace.key })

/** Opens the form of the webhook. */
async function edits(email: string): Promise<OpenPage> {
  const opened = await scene.signedIn(email)
  opened.faults.expectStatus(412)
  await opened.page.goto(`/w/${workspace.id}/webhooks/${webhook.id}`)
  // Content that loads above the button moves it.
  await settled(opened.page)
  await opened.page.getByRole('button', { name: 'Edit webhook', exact: true }).click()
  await opened.page.getByLabel('Description').waitFor()
  return opened
}

const describe = ({ page }: OpenPage, text: string) => page.getByLabel('Description').fill(text)
const save = ({ page }: OpenPage) => page.getByRole('button', { name: 'Save changes', exact: true }).click()
const collision = ({ page }: OpenPage) =>
  page.getByRole('alert').filter({ hasText: 'Someone else changed this webhook' })

async function saved(opened: OpenPage): Promise<void> {
  await save(opened)
  await opened.page.getByText('Saved.').waitFor()
}

async function closeBoth(...opened: readonly OpenPage[]): Promise<void> {
  for (const { faults, context } of opened) {
    expect(faults.seen).toEqual([])
    await context.close()
  }
}

test('the later of two editors sees the earlier change, and may take it over', async () => {
  const [anna, ben] = [await edits(ANNA), await edits(BEN)]
  await describe(anna, 'What Anna wrote')
  await describe(ben, 'What Ben wrote')
  await saved(anna)
  await save(ben)

  const notice = collision(ben)
  await notice.waitFor()
  const line = notice.getByRole('row', { name: /^Description/ })
  expect((await line.getByRole('cell').allInnerTexts()).map((text) => text.trim())).toEqual([
    'What Anna wrote',
    'What Ben wrote',
  ])
  expect(await ben.page.evaluate<string>('document.activeElement.textContent')).toContain(
    'Someone else changed this webhook',
  )
  expect((await stored()).description).toBe('What Anna wrote')

  await notice.getByRole('button', { name: 'Use their changes' }).click()
  expect(await ben.page.getByLabel('Description').inputValue()).toBe('What Anna wrote')
  await save(ben)
  await ben.page.getByRole('button', { name: 'Edit webhook', exact: true }).waitFor()
  expect((await stored()).description).toBe('What Anna wrote')
  await closeBoth(anna, ben)
})

test('the later of two editors may knowingly overwrite the earlier change', async () => {
  const [anna, ben] = [await edits(ANNA), await edits(BEN)]
  await describe(anna, 'What Anna wrote')
  await describe(ben, 'What Ben wrote')
  await saved(anna)
  await save(ben)
  await collision(ben).getByRole('button', { name: 'Overwrite with my changes' }).click()
  await ben.page.getByText('Saved.').waitFor()
  expect((await stored()).description).toBe('What Ben wrote')
  await anna.page.getByText('What Ben wrote').first().waitFor({ timeout: 30_000 })
  await closeBoth(anna, ben)
})

test('changes of different fields are merged, and both are kept', async () => {
  const [anna, ben] = [await edits(ANNA), await edits(BEN)]
  await anna.page.getByRole('textbox', { name: 'URL' }).fill(scene.receiver.urlOf('/moved'))
  await describe(ben, 'What Ben wrote')
  await saved(anna)
  await save(ben)
  const notice = collision(ben)
  await notice.getByText('both changes can be kept').waitFor()
  await notice.getByRole('button', { name: 'Save my changes' }).click()
  await ben.page.getByText('Saved.').waitFor()
  expect(await stored()).toMatchObject({
    url: scene.receiver.urlOf('/moved'),
    description: 'What Ben wrote',
  })
  await closeBoth(anna, ben)
})

test('taking theirs for a conflicting field keeps the other changes in the form', async () => {
  const [anna, ben] = [await edits(ANNA), await edits(BEN)]
  await describe(anna, 'What Anna wrote')
  await describe(ben, 'What Ben wrote')
  await ben.page.getByRole('textbox', { name: 'URL' }).fill(scene.receiver.urlOf('/moved'))
  await saved(anna)
  await save(ben)
  await collision(ben).getByRole('button', { name: 'Use their changes' }).click()
  await saved(ben)
  expect(await stored()).toMatchObject({
    url: scene.receiver.urlOf('/moved'),
    description: 'What Anna wrote',
  })
  await closeBoth(anna, ben)
})

test('a third change between the notice and the decision is noticed too', async () => {
  const [anna, ben] = [await edits(ANNA), await edits(BEN)]
  await describe(anna, 'What Anna wrote')
  await describe(ben, 'What Ben wrote')
  await saved(anna)
  await save(ben)
  await collision(ben).waitFor()
  await anna.page.getByRole('button', { name: 'Edit webhook', exact: true }).click()
  await describe(anna, 'What Anna wrote later')
  await save(anna)
  await anna.page.getByRole('button', { name: 'Edit webhook', exact: true }).waitFor()

  await collision(ben).getByRole('button', { name: 'Overwrite with my changes' }).click()
  await collision(ben).getByText('What Anna wrote later').waitFor()
  expect((await stored()).description).toBe('What Anna wrote later')
  await collision(ben).getByRole('button', { name: 'Overwrite with my changes' }).click()
  await ben.page.getByText('Saved.').waitFor()
  expect((await stored()).description).toBe('What Ben wrote')
  await closeBoth(anna, ben)
})

test('a webhook deleted during an edit is not saved, and the editor sees why', async () => {
  const ben = await edits(BEN)
  // Its charts, deliveries and itself are gone.
  ben.faults.expectStatus(404)
  ben.faults.expectStatus(422)
  await describe(ben, 'What Ben wrote')
  await scene.api.delete(`${webhooks}/${webhook.id}`, { token: workspace.key })
  await save(ben)
  await ben.page
    .getByText('There is no such webhook in this workspace. It may have been deleted.')
    .waitFor({ timeout: 30_000 })
  await closeBoth(ben)
})
