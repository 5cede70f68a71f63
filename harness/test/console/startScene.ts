import { Scene } from '../../src/console/scene.ts'
import type { Settings } from '../../src/support/posthorn.ts'
import { makeTestStore } from '../testStore.ts'

/** A scene on the store of this test run; not for tests that move the clock, since PostgreSQL has its own. */
export async function startScene(
  settings: Settings = {},
  receives: 'http' | 'https' = 'http',
): Promise<Scene> {
  const store = await makeTestStore()
  return Scene.start({ ...store.settings, ...settings }, receives, store.remove)
}
