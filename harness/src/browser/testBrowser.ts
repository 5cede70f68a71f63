import type { Browser, BrowserContext } from 'playwright-core'

/** How somebody looks at a page. */
export interface Look {
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

interface WindowOptions extends Look {
  /** What paths are relative to. */
  readonly baseURL: string
  /** Whether what can move does; without, no test waits for it. */
  readonly motion?: boolean
}

const WIDE = 1280
const HIGH = 860

/** A browser whose windows are all the same person's: what pages learn of the machine is fixed here and nowhere else. */
export class TestBrowser {
  readonly #browser: Browser

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Opens a window with cookies and storage of its own. */
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
