import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tabTo } from '../../src/console/keyboard.ts'
import type { Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import type { WorkspaceClient } from '../../src/support/workspaces.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const VIEWER = 'vera@acme.example'
/** Letter spacing of labels, since each machine may draw them in another width. */
const SPACINGS_PX = [-3, 0, 6, 40, 120]

let scene: Scene
let ads: WorkspaceClient
beforeAll(async () => {
  scene = await startScene()
  const workspace = await scene.workspace('content', 'acme')
  await scene.member(workspace, OWNER, 'owner')
  ads = await scene.workspace('ads', 'acme-ads')
  for (const [email, role] of [
    [OWNER, 'owner'],
    [VIEWER, 'viewer'],
  ] as const)
    await scene.member(ads, email, role)
})
afterAll(() => scene.stop())

test.each([
  ['/w/acme/deliveries', 'Live'],
  ['/w/acme/settings', 'E-mail me about failing webhooks'],
])(
  'the switch of %s works by its track, by its label and by the keyboard, however wide the label is',
  async (path, name) => {
    const { page, context, faults } = await scene.signedIn(OWNER)
    await page.goto(path)
    await settled(page)
    const control = page.getByRole('switch', { name })
    const label = page.locator('label').filter({ has: control })
    let on = await control.isChecked()
    const changesBy = async (act: () => Promise<void>) => {
      await act()
      on = !on
      await page.getByRole('switch', { name, checked: on }).waitFor()
    }
    for (const spacing of SPACINGS_PX) {
      await label.evaluate((element, px) => element.style.setProperty('letter-spacing', `${px}px`), spacing)
      // Assistive technology, such as screen readers, clicks the middle of the control.
      await changesBy(() => control.click())
      await changesBy(() => trackOf(label).then((at) => page.mouse.click(at.x, at.y)))
      await changesBy(() => label.getByText(name).click())
    }
    await tabTo(page, control)
    await changesBy(() => page.keyboard.press('Space'))
    await settled(page)
    expect(faults.seen).toEqual([])
    await context.close()
  },
)

test('if failing webhooks are never disabled, only owners have a switch for e-mails', async () => {
  for (const [email, switches] of [
    [OWNER, 1],
    [VIEWER, 0],
  ] as const) {
    const { page, context, faults } = await scene.signedIn(email)
    await page.goto(`/w/${ads.id}/settings`)
    await page.getByRole('heading', { name: 'Operational webhook' }).waitFor()
    await settled(page)
    expect(await page.getByRole('switch', { name: 'E-mail me about failing webhooks' }).count()).toBe(
      switches,
    )
    expect(faults.seen).toEqual([])
    await context.close()
  }
})

/** The middle of a switch as drawn. */
async function trackOf(label: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const { x, y, width, height } = (await label.locator('[aria-hidden="true"]').first().boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}
