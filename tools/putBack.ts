import { afterAll, vi } from 'vitest'

// Files of one worker share the globals, so each restores them.
afterAll(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
