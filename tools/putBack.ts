import { afterAll, vi } from 'vitest'

// Files of one worker share the globals, so each leaves them as it found them.
afterAll(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
