import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graveFindings } from '../src/console/graveFindings.ts'
import type { Scene } from '../src/console/scene.ts'
import { startScene } from './console/startScene.ts'

const PUBLISH = 'post-/v1/workspaces/-ws-/events'
const SENT = 'post-generation.ready_for_review'

/** With the summary of one of their operations. */
const DOCUMENTS = [
  ['content', 'Publish an event'],
  ['ads', 'Publish an event'],
  ['standard', 'Publish an event'],
  ['admin', 'List workspaces'],
  ['console', 'Read your preferences'],
] as const

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const shows = (page: Page, name: string) =>
  page.locator('rapi-doc').getByRole('heading', { name, exact: true }).first().waitFor()

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

  it('offers each document that the service has', async () => {
    const { page, context, faults } = await scene.open()
    await page.goto('/docs')
    const list = page.getByRole('combobox', { name: 'Service' })
    await list.locator('option').first().waitFor({ state: 'attached' })
    const options = await list.locator('option').all()
    const names = await Promise.all(options.map((option) => option.getAttribute('value')))
    expect(names).toEqual(DOCUMENTS.map(([name]) => name))
    await list.selectOption('ads')
    await page.waitForURL(/\?document=ads$/)
    expect(faults.seen).toEqual([])
    await context.close()
  })

  it.each(DOCUMENTS)('shows the document %s', async (name, operation) => {
    const { page, context, faults } = await scene.open()
    await page.goto(`/docs?document=${name}`)
    await page.locator('rapi-doc .nav-bar-path', { hasText: operation }).first().waitFor()
    const link = page.getByRole('link', { name: 'OpenAPI document' })
    expect(await link.getAttribute('href')).toBe(`/openapi/${name}.json`)
    expect(faults.seen).toEqual([])
    await context.close()
  })

  it('shows the requests to endpoints, with their examples', async () => {
    const { page, context, faults } = await scene.open()
    await page.goto(`/docs?document=content#${SENT}`)
    await shows(page, 'Draft ready for review')
    await page.locator('rapi-doc').getByText('WEBHOOK', { exact: true }).first().waitFor()
    const body = page.getByRole('textbox', { name: 'Request body' })
    expect(await body.inputValue()).toContain('"title": "Chain care for winter commuters"')
    expect(faults.seen).toEqual([])
    await context.close()
  })

  it('sends a tried request to this service', async () => {
    const { page, context, faults } = await scene.open()
    faults.expectStatus(401, 422)
    await page.goto(`/docs?document=content#${PUBLISH}`)
    await page.getByRole('textbox', { name: 'ws' }).fill('acme')
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: 'TRY', exact: true }).click()
    const answer = await answered
    expect([answer.url(), answer.status()]).toEqual([`${scene.url}/v1/workspaces/acme/events`, 401])
    expect(faults.seen).toEqual([])
    await context.close()
  })
})
