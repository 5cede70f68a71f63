import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graveFindings } from '../src/console/graveFindings.ts'
import type { Scene } from '../src/console/scene.ts'
import type { WorkspaceClient } from '../src/support/workspaces.ts'
import { startScene } from './console/startScene.ts'

const PUBLISH = 'post-/v1/workspaces/-ws-/events'
const SENT = 'post-generation.ready_for_review'

/** Documents beside content and ads, with the summary of one of their operations. */
const OTHERS = [
  ['standard', 'Publish an event'],
  ['admin', 'List workspaces'],
  ['console', 'Read your preferences'],
] as const

let scene: Scene
let acme: WorkspaceClient
beforeAll(async () => {
  scene = await startScene()
  acme = await scene.workspace('content', 'acme')
})
afterAll(() => scene.stop())

describe('the API reference', () => {
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 420],
  ] as const)(
    'draws operations with %s colors, %i pixels wide, from this origin only',
    async (scheme, width) => {
      const { page, context, faults } = await scene.open({ scheme, width })
      const hosts = new Set<string>()
      page.on('request', (request) => hosts.add(new URL(request.url()).origin))
      await page.goto('/docs')
      // In the navigation, or in the list of operations that narrow screens have instead.
      const operation = page
        .locator(`[data-content-id="${PUBLISH}"], [id="${PUBLISH}"] .endpoint-head`)
        .first()
      await operation.waitFor()
      expect(await graveFindings(page.mainFrame())).toEqual([])
      await operation.click()
      await page.locator('rapi-doc').getByText('REQUEST BODY').first().waitFor()
      expect(await graveFindings(page.mainFrame())).toEqual([])
      expect([...hosts]).toEqual([scene.url])
      expect(faults.seen).toEqual([])
      await context.close()
    },
  )

  it('offers each document that the service has, and shows the chosen one', async () => {
    const { page, context, faults } = await scene.open()
    await page.goto('/docs')
    const list = page.getByRole('combobox', { name: 'Service' })
    await list.locator('option').first().waitFor({ state: 'attached' })
    const options = await list.locator('option').all()
    const names = await Promise.all(options.map((option) => option.getAttribute('value')))
    expect(names).toEqual(['content', 'ads', ...OTHERS.map(([name]) => name)])
    await list.selectOption('ads')
    await page.waitForURL(/\?document=ads$/)
    await showsDocument(page, 'ads', 'Publish an event')
    expect(faults.seen).toEqual([])
    await context.close()
  })

  it.each(OTHERS)('shows the document %s', async (name, operation) => {
    const { page, context, faults } = await scene.open()
    await page.goto(`/docs?document=${name}`)
    await showsDocument(page, name, operation)
    expect(faults.seen).toEqual([])
    await context.close()
  })

  it('shows the requests to endpoints, with their examples', async () => {
    const { page, context, faults } = await scene.open()
    const response = await page.goto(`/docs?document=content#${SENT}`)
    const title = { name: 'Draft ready for review', exact: true }
    await page.locator('rapi-doc').getByRole('heading', title).first().waitFor()
    await page.locator('rapi-doc').getByText('WEBHOOK', { exact: true }).first().waitFor()
    const body = page.getByRole('textbox', { name: 'Request body' })
    expect(await body.inputValue()).toContain('"title": "Chain care for winter commuters"')
    expect(faults.seen).toEqual([])
    // The policy of the page allows its one inline style sheet.
    const sheets = await page.locator('rapi-doc style').allTextContents()
    const hashes = sheets.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    const policy = (await response?.headerValue('content-security-policy')) ?? ''
    const allowed = /style-src 'self' ([^;]*);/.exec(policy)?.[1]
    const advice =
      'RapiDoc has other styles now. Look at them, then set STYLE_HASH in packages/server/src/http/documents/page.ts'
    expect(hashes, advice).toEqual([allowed])
    await context.close()
  })

  it('sends a tried request to this service, first without a key, then with one', async () => {
    const { page, context, faults } = await scene.open()
    await page.goto(`/docs?document=content#${PUBLISH}`)
    const refused = await tryPublish(page)
    expect([refused.url(), refused.status()]).toEqual([`${scene.url}/v1/workspaces/acme/events`, 401])
    await page.evaluate('location.hash = "auth"')
    await page.locator('rapi-doc input.apiKey').fill(acme.key)
    await page.locator('rapi-doc input.apiKey + button').click()
    await page.locator(`rapi-doc [data-content-id="${PUBLISH}"]`).first().click()
    const answer = await tryPublish(page)
    expect([answer.status(), await answer.json()]).toEqual([
      202,
      expect.objectContaining({ repeated: false }),
    ])
    expect(faults.seen).toEqual([])
    await context.close()
  })
})

async function showsDocument(page: Page, name: string, operation: string) {
  await page.locator('rapi-doc .nav-bar-path', { hasText: operation }).first().waitFor()
  const link = page.getByRole('link', { name: 'OpenAPI document' })
  expect(await link.getAttribute('href')).toBe(`/openapi/${name}.json`)
}

async function tryPublish(page: Page) {
  await page.getByRole('textbox', { name: 'ws' }).fill('acme')
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('button', { name: 'TRY', exact: true }).click()
  return answered
}
