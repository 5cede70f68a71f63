import type { BrowserContext } from 'playwright-core'

/** Forbidden actions of console pages. */
export interface Faults {
  /** Script errors, Content-Security-Policy violations, dialogs, requests to other hosts. */
  readonly seen: readonly string[]
  /** Statuses that the test provokes; the browser logs an error for each. */
  expectStatus(...statuses: readonly number[]): void
}

/** Records everything that goes wrong in the tabs of a browser window from now on. */
export function watchPages(context: BrowserContext): Faults {
  const seen: string[] = []
  // A 401 is the normal answer to a signed-out visitor.
  const expected = new Set([401])
  context.on('weberror', (error) => seen.push(`script error: ${error.error().message}`))
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    const status = /the server responded with a status of (\d+)/.exec(message.text())?.[1]
    if (status !== undefined && expected.has(Number(status))) return
    seen.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('dialog', (dialog) => {
    // A page may ask for confirmation when it is left; any other dialog was opened by a foreign script.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    const here = hostname === '127.0.0.1' || hostname === 'localhost'
    if (!here && !['data:', 'blob:'].includes(protocol)) seen.push(`request to ${request.url()}`)
  })
  return {
    seen,
    expectStatus: (...statuses) => {
      for (const status of statuses) expected.add(status)
    },
  }
}
