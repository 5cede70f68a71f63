import { createReceiver } from '@posthorn/receiver'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Received } from '../../src/console/receiver.ts'
import { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { makeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'
import { WalkingClock } from '../../src/support/walkingClock.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'

const OWNER = 'mira@acme.example'
const PATH = '/hooks/deploy'
const HOUR_MS = 3_600_000
/** The page refreshes regularly. */
const PATIENT = { timeout: 60_000 }

let scene: Scene
let clock: WalkingClock
let workspace: WorkspaceClient

beforeAll(async () => {
  clock = new WalkingClock(makeDirectory(), Date.now())
  scene = await Scene.start({ POSTHORN_SECRET_OVERLAP: '50m', ...clock.settings })
  workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
})
afterAll(() => scene.stop())

test('a new secret is shown once, signs next to the old one during the countdown, and then is the only one', async () => {
  const webhook = await workspace.createWebhook(scene.receiver.urlOf(PATH), ['version.approved'])
  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/acme/webhooks/${webhook.id}`)
  await page.getByRole('heading', { name: 'Signing secret' }).waitFor()
  expect(signaturesOf(await nextTest(page))).toHaveLength(1)

  const secret = await rotate(page, 'The old secret also signs requests for 50 min')
  expect(secret).not.toBe(webhook.secret)
  await page.getByText('Two secrets sign every request').waitFor()
  const both = await nextTest(page)
  expect(signaturesOf(both)).toHaveLength(2)
  expect(await signs(webhook.secret, both)).toBe(true)
  expect(await signs(secret, both)).toBe(true)
  await countsDown(page)

  await clock.leapTo(clock.now() + HOUR_MS, scene.service)
  await page.getByText('Two secrets sign every request').waitFor({ state: 'hidden', ...PATIENT })
  const alone = await nextTest(page)
  expect(signaturesOf(alone)).toHaveLength(1)
  expect(await signs(secret, alone)).toBe(true)
  expect(await signs(webhook.secret, alone)).toBe(false)
  expect(await page.content()).not.toContain(secret)
  expect(faults.seen).toEqual([])
  await context.close()
})

test('a new secret of an endpoint is the only one at once: the page warns before, and the old one no longer verifies', async () => {
  const { common, make } = EVENTS.ads
  const ads = await scene.workspace('ads', 'northwind', 'Northwind Media')
  await scene.member(ads, OWNER, 'owner', 'Mira Keller')
  const endpoint = await ads.createWebhook(scene.receiver.urlOf('/ads'), [common])
  const next = async () => {
    const [event] = await ads.publish([make(common)])
    return eventually(() => scene.receiver.at('/ads').find(({ body }) => body.includes(event!)) ?? null, {
      withinMs: 30_000,
      what: 'the event',
    })
  }
  expect(await signs(endpoint.secret, await next(), 'service')).toBe(true)

  const { page, context, faults } = await scene.signedIn(OWNER)
  await page.goto(`/w/northwind/webhooks/${endpoint.id}`)
  const secret = await rotate(page, 'The old secret stops signing immediately')
  expect(secret).not.toBe(endpoint.secret)
  const alone = await next()
  expect(await signs(secret, alone, 'service')).toBe(true)
  expect(await signs(endpoint.secret, alone, 'service')).toBe(false)
  await page.reload()
  await page.getByText('The current secret was created').waitFor()
  expect(await page.getByText('secrets sign every request').count()).toBe(0)
  expect(faults.seen).toEqual([])
  await context.close()
})

/** Rotates the secret and confirms that it is stored. @param warning text before the rotation */
async function rotate(page: Page, warning: string): Promise<string> {
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate secret' })
  await dialog.getByText(warning).waitFor()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await dialog.getByRole('button', { name: 'Copy secret' }).click()
  const secret = await page.evaluate<string>('navigator.clipboard.readText()')
  expect((await dialog.getByRole('region', { name: 'signing secret' }).innerText()).trim()).toBe(secret)
  // A stray key does not lose it.
  await page.keyboard.press('Escape')
  await dialog.getByLabel('I have stored the secret').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.content()).not.toContain(secret)
  return secret
}

/** Sends a test. @returns the request once the page shows that it arrived */
async function nextTest(page: Page): Promise<Received> {
  const before = scene.receiver.at(PATH).length
  await page.getByRole('button', { name: /^Send (a|another) test$/ }).click()
  const received = await eventually(() => scene.receiver.at(PATH)[before] ?? null, {
    withinMs: 30_000,
    what: 'the test event',
  })
  await page.getByText('Delivered: 204 No Content').waitFor()
  return received
}

async function countsDown(page: Page): Promise<void> {
  const sentence = page.getByText(/^The old secret, created .* stops signing in/)
  const left = async () => {
    const text = await sentence.innerText()
    const [minutes = 0, seconds = 0] = [/(\d+) min/, /(\d+) s\b/].map((unit) =>
      Number(unit.exec(text)?.[1] ?? 0),
    )
    return minutes * 60 + seconds
  }
  const first = await left()
  expect(first).toBeGreaterThan(0)
  await eventually(async () => ((await left()) < first ? true : null), {
    withinMs: 20_000,
    what: 'fewer seconds',
  })
}

const signaturesOf = ({ headers }: Received) => String(headers['webhook-signature']).split(' ')

/** Whether a receiver that knows only this secret accepts the request. */
async function signs(
  secret: string,
  { body, headers }: Received,
  scheme: 'standard' | 'service' = 'standard',
): Promise<boolean> {
  const receiver =
    scheme === 'service'
      ? createReceiver({ scheme, secrets: secret })
      : createReceiver({ scheme, secrets: secret, now: () => clock.now() })
  try {
    await receiver.verify(Buffer.from(body), headers)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'signature_mismatch') return false
    throw error
  }
}
