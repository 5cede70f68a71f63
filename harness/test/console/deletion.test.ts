import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import type { DialectName } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const AREAS = { content: 'Integrations', ads: 'Endpoints' } as const
const TYPES = { content: 'version.approved', ads: 'campaign.updated.v1' } as const

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

test.each<DialectName>(['content', 'ads'])(
  'a webhook of the %s service is deleted by typing its host, and the page stops reading it',
  async (dialect) => {
    const workspace = await scene.workspace(dialect, dialect)
    await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
    const url = scene.receiver.urlOf('/hook')
    const { id } = await workspace.createWebhook(url, [TYPES[dialect]])
    const { page, context, faults } = await scene.signedIn(OWNER)
    await page.goto(`/w/${workspace.id}/webhooks/${id}`)
    await page.getByText('Nothing was sent yet').waitFor()
    // Charts load once they are visible.
    await page.getByRole('heading', { name: 'Stop sending' }).scrollIntoViewIfNeeded()
    await page.getByLabel('Period').waitFor()

    const reads: string[] = []
    await page.getByRole('button', { name: /^Delete (webhook|endpoint)$/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill(new URL(url).host)
    page.on('response', (response) => {
      if (response.request().method() === 'DELETE') {
        page.on('request', (request) => {
          if (request.url().includes(id)) reads.push(request.url())
        })
      }
    })
    await dialog.getByRole('button', { name: /^Delete / }).click()
    await page.getByRole('heading', { level: 1, name: AREAS[dialect] }).waitFor()
    await page.getByText(/^No (webhook|endpoint) yet$/).waitFor()
    expect(reads).toEqual([])
    expect(faults.seen).toEqual([])
    await context.close()
  },
)
