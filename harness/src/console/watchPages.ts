import type { BrowserContext } from 'playwright-core'

/** What pages did that no page of the console may do. */
export interface Faults {
  /** Errors of scripts, refusals of the Content-Security-Policy, dialogs, requests to others. */
  readonly seen: readonly string[]
  /** Answers like these are part of what is tried; a browser writes an error for each. */
  expectStatus(...statuses: readonly number[]): void
}

/** Notes from now on whatever goes wrong in the tabs of a browser window. */
export function watchPages(context: BrowserContext): Faults {
  const seen: string[] = []
  // Whoever is not signed in is told so by a 401.
  const expected = new Set([401])
  context.on('weberror', (error) => seen.push(`script error: ${error.error().message}`))
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    const status = /the server responded with a status of (\d+)/.exec(message.text())?.[1]
    if (status !== undefined && expected.has(Number(status))) return
    seen.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('dialog', (dialog) => {
    // A page that is left may ask back, and is left then; any other dialog was opened by a script that is not ours.
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
