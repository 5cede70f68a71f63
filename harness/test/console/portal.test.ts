import { afterAll, beforeAll, expect, test } from 'vitest'
import { HostSite } from '../../src/console/hostSite.ts'
import type { Scene } from '../../src/console/scene.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

interface PortalLink {
  readonly url: string
  readonly embed_url: string
}

let product: HostSite
let other: HostSite
let scene: Scene
let workspace: WorkspaceClient
let memberId: string

beforeAll(async () => {
  product = await HostSite.start()
  other = await HostSite.start()
  scene = await startScene({ POSTHORN_PORTAL_ORIGINS: product.origin })
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  memberId = await scene.member(workspace, 'mira@acme.example', 'owner', 'Mira Keller')
  await workspace.createWebhook(scene.receiver.urlOf('/hook'), ['version.approved'])
})
afterAll(async () => {
  await scene.stop()
  await product.stop()
  await other.stop()
})

const portalLink = () =>
  scene.api.post<PortalLink>(`/admin/v1/workspaces/${workspace.id}/members/${memberId}/portal-links`, {
    token: ADMIN_TOKEN,
    body: {},
  })

test("inside a product's page a member opens the webhooks at once, without a cookie, also after a reload", async () => {
  const { page, context, faults } = await scene.open()
  product.frame((await portalLink()).embed_url)
  await page.goto(product.origin)
  const inside = page.frameLocator('iframe')
  await inside.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  await inside.getByRole('link', { name: scene.receiver.urlOf('/hook').replace('http://', '') }).click()
  await inside.getByRole('button', { name: 'Send a test' }).click()
  await inside.getByText('delivered', { exact: true }).first().waitFor()

  await inside.getByRole('button', { name: 'Pause webhook', exact: true }).click()
  await inside.getByRole('dialog').getByRole('button', { name: 'Pause webhook' }).click()
  await inside.getByText('The webhook was paused.').waitFor()
  await inside.getByRole('button', { name: 'Resume webhook', exact: true }).click()
  await inside.getByText('The webhook was resumed.').waitFor()

  // Reloads only the frame, as its context menu does.
  const frame = page.frames().find((each) => each !== page.mainFrame())!
  await frame.evaluate('location.reload()')
  await inside.getByRole('button', { name: 'Pause webhook', exact: true }).waitFor()
  await inside.getByRole('link', { name: 'Integrations' }).first().click()
  await inside.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()

  // Reloads the whole page, which uses the same link again.
  await page.reload()
  await inside.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(await context.cookies()).toEqual([])
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a frame without clipboard permission explains that copying failed, and one with the permission copies', async () => {
  for (const [allow, said] of [
    ['', 'Your browser blocked copying'],
    ['clipboard-write', 'Copied'],
  ] as const) {
    const { page, context } = await scene.open()
    product.frame((await portalLink()).embed_url, allow)
    await page.goto(product.origin)
    const inside = page.frameLocator('iframe')
    await inside.getByRole('link', { name: scene.receiver.urlOf('/hook').replace('http://', '') }).click()
    await inside.getByRole('button', { name: 'Copy URL' }).click()
    await inside.getByText(said, { exact: true }).first().waitFor()
    await context.close()
  }
})

test('a link used in another browser shows nothing in a frame', async () => {
  const { embed_url } = await portalLink()
  product.frame(embed_url)
  for (const [round, found] of ['Integrations', 'This link does not work'].entries()) {
    const { page, context, faults } = await scene.open()
    await page.goto(product.origin)
    const inside = page.frameLocator('iframe')
    await inside.getByRole('heading', { name: found, level: 1 }).waitFor()
    expect(await inside.getByRole('link', { name: 'Sign in by e-mail instead' }).count(), `${round}`).toBe(0)
    expect(faults.seen).toEqual([])
    await context.close()
  }
})

test('a frame whose session has ended says where to go', async () => {
  const { page, context, faults } = await scene.open()
  product.frame((await portalLink()).embed_url)
  await page.goto(product.origin)
  const inside = page.frameLocator('iframe')
  await inside.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  await scene.api.delete(`/admin/v1/workspaces/${workspace.id}/members/${memberId}/sessions`, {
    token: ADMIN_TOKEN,
  })
  await inside.getByText('open your webhooks from the surrounding page again').waitFor({ timeout: 60_000 })
  await inside.getByText('If you did not store a signing secret, rotate it').waitFor()
  expect(await inside.getByLabel('E-mail address').count()).toBe(0)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('the browser does not show the console in pages of unlisted origins, and only the embedded one in listed ones', async () => {
  const { embed_url, url } = await portalLink()
  for (const [site, framed] of [
    [other, embed_url],
    [product, url],
    [product, `${scene.url}/sign-in`],
  ] as const) {
    const { page, context, faults } = await scene.open()
    site.frame(framed)
    await page.goto(site.origin)
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await expect
      .poll(() => faults.seen.some((fault) => fault.includes('frame-ancestors')), { timeout: 15_000 })
      .toBe(true)
    expect(await page.frameLocator('iframe').getByRole('heading', { level: 1 }).count()).toBe(0)
    await context.close()
  }
  // The link is still unused.
  const { page, context, faults } = await scene.open()
  product.frame(embed_url)
  await page.goto(product.origin)
  await page.frameLocator('iframe').getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a portal link does not sign out another user without asking', async () => {
  const { page, context, faults } = await scene.signedIn(null)
  faults.expectStatus(409)
  // Remaining requests of the operator's tab.
  faults.expectStatus(403)
  await page.goto('/operator')
  const { url } = await portalLink()
  await page.goto(url)
  await page.getByRole('heading', { name: 'Another user is signed in' }).waitFor()
  await page
    .getByText('You are signed in with the admin token, but this link is for mira@acme.example.')
    .waitFor()
  await page.getByRole('link', { name: 'Stay signed in' }).click()
  await page.waitForURL('**/operator')
  const tab = await context.newPage()
  await tab.goto(url)
  await tab.getByRole('button', { name: 'Continue with the link' }).click()
  await tab.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  // The other tab no longer belongs to the operator: it reloads for the signed-in user.
  await page.bringToFront()
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor({ timeout: 60_000 })
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a portal link is not valid on the sign-in page, nor the other way round', async () => {
  const { page, context, faults } = await scene.open()
  faults.expectStatus(409)
  const portal = new URL((await portalLink()).url)
  const signIn = new URL(await scene.signInLink('mira@acme.example'))
  await page.goto(`${scene.url}/sign-in${portal.hash}`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('This link comes from a product').waitFor()
  await page.goto(`${scene.url}/portal${signIn.hash}`)
  await page.getByText('This is a sign-in link').waitFor()
  // A redirect through a sign-in route is rejected.
  await page.goto(`${scene.url}/sign-in?to=${encodeURIComponent(`/portal${portal.hash}`)}`)
  expect(await context.cookies()).toEqual([])
  await page.goto(portal.href)
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a new link in the frame ends the previous session', async () => {
  const { page, context, faults } = await scene.open()
  const inside = page.frameLocator('iframe')
  const bearers: string[] = []
  page.on('request', (request) => {
    const [, bearer] = /^Bearer (.+)$/.exec(request.headers().authorization ?? '') ?? []
    if (bearer !== undefined && !bearers.includes(bearer)) bearers.push(bearer)
  })
  for (let round = 0; round < 2; round++) {
    product.frame((await portalLink()).embed_url)
    await page.goto(product.origin)
    await inside.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  }
  expect(bearers).toHaveLength(2)
  const statusOf = async (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}` }
    return (await fetch(`${scene.url}/console/v1/session`, { headers })).status
  }
  await expect.poll(() => statusOf(bearers[0]!), { timeout: 15_000 }).toBe(401)
  expect(await statusOf(bearers[1]!)).toBe(200)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a portal link in its own window signs in once, for this workspace only', async () => {
  const elsewhere = await scene.workspace('content', 'elsewhere', 'Elsewhere')
  await scene.member(elsewhere, 'mira@acme.example', 'owner', 'Mira Keller')
  const { url } = await portalLink()
  const first = await scene.open()
  await first.page.goto(url)
  await first.page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(first.page.url()).toBe(`${scene.url}/w/${workspace.id}/webhooks`)
  expect((await first.context.cookies()).map(({ name, httpOnly }) => [name, httpOnly])).toEqual([
    ['posthorn_session', true],
  ])
  await first.page.reload()
  await first.page.getByRole('button', { name: 'Workspace: Acme Stories. Switch workspace' }).click()
  await first.page.getByRole('menuitem', { name: 'Acme Stories' }).waitFor()
  expect(await first.page.getByRole('menuitem', { name: 'Elsewhere' }).count()).toBe(0)

  const second = await scene.open()
  await second.page.goto(url)
  await second.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await second.page.getByRole('link', { name: 'Sign in by e-mail instead' }).click()
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  for (const { faults, context } of [first, second]) {
    expect(faults.seen).toEqual([])
    await context.close()
  }
})
