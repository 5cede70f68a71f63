import type { Frame, Page } from 'playwright-core'

/** The frame of the console: the page itself, or the frame inside a product's page. */
export const consoleFrame = (page: Page): Frame => page.frames().at(-1)!
