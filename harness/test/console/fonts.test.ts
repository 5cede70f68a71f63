import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenPage, Scene } from '../../src/console/scene.ts'
import { settled } from '../../src/console/settled.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@example.com'

let scene: Scene
let opened: OpenPage
const fonts: Response[] = []

beforeAll(async () => {
  scene = await startScene()
  const workspace = await scene.workspace('content', 'acme')
  await scene.member(workspace, OWNER, 'owner')
  opened = await scene.signedIn(OWNER)
  opened.page.on('response', (response) => {
    if (response.request().resourceType() === 'font') fonts.push(response)
  })
  await opened.page.goto(`/w/${workspace.id}/settings`)
  await settled(opened.page)
})
afterAll(() => scene.stop())

describe('fonts of the console', () => {
  it('are used for its text and code, whatever fonts the machine has', async () => {
    expect(await drawnWith(opened.page, 'h1')).toEqual(['Inter'])
    expect(await drawnWith(opened.page, 'nav .mantine-NavLink-label')).toEqual(['Inter'])
    expect(await drawnWith(opened.page, 'code')).toEqual(['JetBrains Mono'])
  })

  it('come from the service, once, under names that never change', async () => {
    const names = fonts.map((response) => new URL(response.url()).pathname.replace(/-[\w-]{8}\.woff2$/, ''))
    expect(names.sort()).toEqual(['/assets/inter', '/assets/jetbrains-mono-400'])
    for (const response of fonts) {
      expect(response.url().startsWith(`${scene.url}/`)).toBe(true)
      expect(response.headers()).toMatchObject({
        'content-type': 'font/woff2',
        'cache-control': 'public, max-age=31536000, immutable',
      })
    }
  })

  it('may not come from another origin', async () => {
    const page = await fetch(`${scene.url}/sign-in`)
    expect(page.headers.get('content-security-policy')).toContain("font-src 'self';")
    expect(opened.faults.seen).toEqual([])
  })
})

/** The fonts that the browser uses for the text of an element; a font of the machine has an asterisk. */
async function drawnWith(page: Page, selector: string): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('DOM.enable')
  await session.send('CSS.enable')
  const { root } = await session.send('DOM.getDocument')
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector })
  const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId })
  await session.detach()
  return fonts.map(({ familyName, isCustomFont }) => (isCustomFont ? familyName : `${familyName}*`))
}
