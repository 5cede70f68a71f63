import type { Browser, BrowserContext } from 'playwright-core'

/** Settings of the person who looks at a page. */
export interface Look {
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

interface WindowOptions extends Look {
  /** Base of relative paths. */
  readonly baseURL: string
  /** Whether animations run; without them, no test waits for one. */
  readonly motion?: boolean
}

const WIDE = 1280
const HIGH = 860

/**
 * A browser whose windows all look like the same person's: everything that pages learn about the machine is
 * fixed only here.
 */
export class TestBrowser {
  readonly #browser: Browser

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Opens a window with its own cookies and storage. */
  openWindow(options: WindowOptions): Promise<BrowserContext> {
    const { baseURL, scheme = 'light', width = WIDE, height = HIGH, motion = false } = options
    return this.#browser.newContext({
      baseURL,
      viewport: { width, height },
      deviceScaleFactor: 1,
      colorScheme: scheme,
      contrast: 'no-preference',
      forcedColors: 'none',
      reducedMotion: motion ? 'no-preference' : 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Zurich',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}
