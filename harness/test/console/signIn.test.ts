import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followLinkOf } from '../../src/console/mailbox.ts'
import type { OpenPage, Scene } from '../../src/console/scene.ts'
import { ADMIN_TOKEN, runPosthorn } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const EDITOR = 'jonas@acme.example'
/** Pages notice the end of a session when they next read something. */
const NOTICED_MS = 40_000

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
  const workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  await scene.member(workspace, EDITOR, 'editor', 'Jonas Weber')
})
afterAll(() => scene.stop())

/** Requests a link on the sign-in page. @returns the message with the link */
async function askForLink(page: Page, email: string) {
  const sought = { to: email, subject: 'Your sign-in link' }
  const before = scene.mailbox.all(sought).length
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText('Ask your operator for the link').waitFor()
  return scene.mailbox.newest(sought, before + 1)
}

const confirm = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true }).click()

async function leave({ page }: OpenPage, email: string, way: string): Promise<void> {
  await page.getByRole('button', { name: email }).click()
  await page.getByRole('menuitem', { name: way, exact: true }).click()
}

test('a signed-out visitor is asked only for an email address', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/w/anything/webhooks')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/sign-in')
  expect(await page.getByRole('textbox').count()).toBe(1)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a link by e-mail signs in and opens the requested page with its filters', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/w/acme/deliveries?status=failed&type=version.approved')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const mail = await askForLink(page, OWNER)

  // Mail scanners open links, too: that does not use them up.
  const scanner = await scene.open()
  await followLinkOf(scanner.page, mail, 'Sign in')
  await scanner.page.getByRole('heading', { name: 'Your sign-in link' }).waitFor()
  await scanner.context.close()

  const tab = await context.newPage()
  await followLinkOf(tab, mail, 'Sign in')
  await tab.getByRole('heading', { name: 'Your sign-in link' }).waitFor()
  expect(tab.url()).toBe(`${scene.url}/sign-in`)
  await confirm(tab)

  await tab.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  const arrived = new URL(tab.url())
  expect(arrived.pathname).toBe('/w/acme/deliveries')
  expect(Object.fromEntries(arrived.searchParams)).toEqual({
    status: 'failed',
    type: 'version.approved',
  })
  await tab.reload()
  await tab.getByRole('button', { name: OWNER }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a wrong admin token is reported as such, where nothing mentions e-mails', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/sign-in')
  await page.getByText('You get a link by').waitFor()
  await page.getByRole('button', { name: 'Sign in with the admin token' }).click()
  expect(await page.getByText('You get a link by').count()).toBe(0)
  await page.getByLabel('Admin token').fill(`${ADMIN_TOKEN}x`)
  await page.getByRole('button', { name: 'Sign in as operator' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: 'The admin token is not valid for this service.' })
    .waitFor()
  await page.getByRole('button', { name: 'Sign in by e-mail' }).click()
  await page.getByText('You get a link by').waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a used link is rejected with instructions, and a new one works', async () => {
  const first = await scene.open()
  await first.page.goto('/sign-in')
  const mail = await askForLink(first.page, OWNER)
  await followLinkOf(first.page, mail, 'Sign in')
  await confirm(first.page)
  await first.page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()

  const second = await scene.open()
  await followLinkOf(second.page, mail, 'Sign in')
  await confirm(second.page)
  const refusal = second.page.getByRole('alert')
  await refusal.waitFor()
  expect(await refusal.innerText()).toContain('This link was already used, or has expired')
  await second.page.getByRole('button', { name: 'Request a new link' }).click()
  const another = await askForLink(second.page, OWNER)
  await followLinkOf(second.page, another, 'Sign in')
  await confirm(second.page)
  await second.page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()

  // The mail is opened again later, in the signed-in browser.
  await followLinkOf(first.page, mail, 'Sign in')
  await confirm(first.page)
  await first.page.getByText(`you are already signed in as ${OWNER}`).waitFor()
  await first.page.getByRole('link', { name: 'Go to the console' }).click()
  await first.page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()

  expect([...first.faults.seen, ...second.faults.seen]).toEqual([])
  await first.context.close()
  await second.context.close()
})

test('a link opened in the tab of the sign-in page works, and the next one replaces it', async () => {
  const { page, context, faults } = await scene.open()
  await page.goto('/sign-in')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  // Only the fragment changes. This one was cut when it was copied.
  await page.goto('/sign-in#%')
  await page.getByRole('heading', { name: 'Your sign-in link' }).waitFor()
  await page.goto(await scene.signInLink(OWNER))
  await eventually(async () => (new URL(page.url()).hash === '' ? true : null), {
    withinMs: 20_000,
    what: 'the next link is taken',
  })
  await confirm(page)
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('an unknown email address gets the same answer, and no mail', async () => {
  const { page, context, faults } = await scene.open()
  const stranger = 'stranger@elsewhere.example'
  await page.goto('/sign-in')
  await page.getByLabel('E-mail address').fill(stranger)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText(`If ${stranger} has access, the link is in a file`).waitFor()
  // Mails are sent in the order of their requests.
  await page.getByRole('button', { name: 'Use another address' }).click()
  await askForLink(page, EDITOR)
  expect(scene.mailbox.all({ to: stranger, subject: '' })).toEqual([])
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a link printed by the command line signs in, and signing out ends the session', async () => {
  const printed = await runPosthorn(['login-link', '--email', OWNER], {
    POSTHORN_PUBLIC_URL: scene.url,
    POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  expect(printed.code).toBe(0)
  const opened = await scene.open()
  const { page, context, faults } = opened
  // The page that another user wanted to open in this browser stays theirs.
  await page.goto('/w/acme/settings')
  await askForLink(page, EDITOR)
  await page.goto(printed.stdout.trim())
  await confirm(page)
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()

  await leave(opened, OWNER, 'Sign out')
  await page.getByText('You are signed out').waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(faults.seen).toEqual([])
  await context.close()
})

test('signing out everywhere ends the session of the other browser, and unsaved input there is kept', async () => {
  const desk = await scene.signedIn(OWNER)
  const laptop = await scene.signedIn(OWNER)
  const colleague = await scene.signedIn(EDITOR)
  await laptop.page.goto('/w/acme/webhooks/new')
  const description = laptop.page.getByLabel('Description')
  await description.fill('Half a thought')
  await desk.page.goto('/w/acme/webhooks')
  await leave(desk, OWNER, 'Sign out everywhere')
  await desk.page.getByText('You are signed out').waitFor()

  await laptop.page.getByLabel('URL').fill('https://hooks.example.com/')
  const ended = laptop.page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.waitFor({ timeout: NOTICED_MS })
  const mail = await askForLink(laptop.page, OWNER)
  const tab = await laptop.context.newPage()
  await followLinkOf(tab, mail, 'Sign in')
  await confirm(tab)
  await tab.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  await ended.waitFor({ state: 'hidden', timeout: NOTICED_MS })
  expect(await description.inputValue()).toBe('Half a thought')

  await colleague.page.goto('/w/acme/webhooks')
  await colleague.page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  for (const { faults, context } of [desk, laptop, colleague]) {
    expect(faults.seen).toEqual([])
    await context.close()
  }
})
