import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followLinkOf } from '../../src/console/mailbox.ts'
import type { Scene } from '../../src/console/scene.ts'
import { OidcProvider } from '../../src/signIn/oidcProvider.ts'
import { freePort } from '../../src/support/freePort.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const LINK_ONLY = 'jonas@acme.example'

let scene: Scene
let provider: OidcProvider

beforeAll(async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  provider = await OidcProvider.make(`${url}/sign-in/provider/callback`)
  scene = await startScene({
    POSTHORN_PORT: String(port),
    POSTHORN_PUBLIC_URL: url,
    POSTHORN_OIDC_ISSUER: provider.issuer,
    POSTHORN_OIDC_CLIENT_ID: provider.clientId,
    POSTHORN_OIDC_CLIENT_SECRET: provider.clientSecret,
    POSTHORN_OIDC_NAME: 'Example ID',
    POSTHORN_OIDC_SCOPES: 'openid email profile groups',
    POSTHORN_OIDC_ROLES: 'hooks=acme:viewer,hooks-admins=acme:owner',
  })
  const workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, LINK_ONLY, 'editor', 'Jonas Weber')
})
afterAll(async () => {
  await scene.stop()
  await provider.stop()
})

const atProvider = async (page: Page, email: string, choice: 'Continue' | 'Cancel' = 'Continue') => {
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await page.getByLabel('Who are you?').fill(email)
  await page.getByRole('button', { name: choice }).click()
}

test('a provider that does not answer at the start leaves the sign-in by e-mail, and is retried', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/w/acme/webhooks')
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await page.getByRole('alert').filter({ hasText: 'The provider does not respond' }).waitFor()
  const sought = { to: LINK_ONLY, subject: 'Your sign-in link' }
  await page.getByLabel('E-mail address').fill(LINK_ONLY)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await followLinkOf(page, await scene.mailbox.newest(sought), 'Sign in')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
  await provider.start()
  const begins = async () => {
    const { headers } = await fetch(`${scene.url}/sign-in/provider`, { redirect: 'manual' })
    return headers.get('location')!.startsWith(provider.issuer) ? true : null
  }
  await eventually(begins, { withinMs: 20_000, what: 'a sign-in by the provider that begins' })
})

test('the provider signs in, with the role of the claims, and opens the requested page', async () => {
  provider.groups.set(OWNER, ['hooks', 'hooks-admins'])
  const { page, context, faults } = await scene.open()
  await page.goto('/w/acme/deliveries?status=failed')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await atProvider(page, OWNER)
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  const { pathname, search } = new URL(page.url())
  expect(pathname + search).toBe('/w/acme/deliveries?status=failed')
  await page.getByRole('button', { name: OWNER }).waitFor()
  const { data } = await scene.api.get<{ data: readonly object[] }>('/admin/v1/workspaces/acme/members', {
    token: ADMIN_TOKEN,
  })
  expect(data[0]).toMatchObject({ email: OWNER, role: 'owner', from_provider: true })
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a user without a role in the claims sees the email address used, and whom to ask', async () => {
  provider.groups.set(OWNER, [])
  const { page, context, faults } = await scene.open()
  await page.goto('/sign-in')
  await atProvider(page, OWNER)
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toMatch(/No access.*mira@acme\.example.*Ask an operator/s)
  expect(new URL(page.url()).hash).toBe('')
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a sign-in canceled at the provider can be started again', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/w/acme/webhooks')
  await atProvider(page, LINK_ONLY, 'Cancel')
  await page.getByRole('alert').filter({ hasText: 'Sign-in canceled' }).waitFor()
  await atProvider(page, LINK_ONLY)
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})
