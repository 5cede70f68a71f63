import type { Page, Request } from 'playwright-core'

/** 241 KiB of scripts and styles, and three fonts with 37 KiB, which a browser caches for later visits. */
const MOST_BYTES = 278 * 1024
/**
 * Charts load after everything else, once one is visible; the profile editor, when a profile is edited;
 * syntax colors, after the code is shown without them.
 */
const LATER = /\/assets\/(StatsPanel|Plot|CodeEditor|ColoredCode)-/
/** A page needs more: a program, styles, fonts. */
const FEWEST_FILES = 4

/**
 * The files that a page requests from now on, including those that the window has cached: a first visitor has
 * none.
 */
export class FirstLoad {
  readonly #page: Page
  readonly #files = new Set<string>()
  readonly #note = (request: Request) => {
    const url = request.url()
    if (url.includes('/assets/') && !LATER.test(url)) this.#files.add(url)
  }

  constructor(page: Page) {
    this.#page = page
    page.on('request', this.#note)
  }

  /** Stops recording. @returns the problems found */
  async findings(): Promise<string[]> {
    this.#page.off('request', this.#note)
    const files = [...this.#files]
    if (files.length < FEWEST_FILES) return [`only ${files.length} files were loaded: ${files.join(', ')}`]
    const sizes = await Promise.all(files.map(sentBytes))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    return total > MOST_BYTES ? [`a first visitor loads ${total} bytes; at most ${MOST_BYTES}`] : []
  }
}

/** By URL. */
const known = new Map<string, Promise<number>>()

/** Compressed size, as sent to a browser. */
function sentBytes(url: string): Promise<number> {
  const bytes = known.get(url) ?? askForBytes(url)
  known.set(url, bytes)
  return bytes
}

async function askForBytes(url: string): Promise<number> {
  const { headers } = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
  // Fonts are compressed already.
  const encoding = url.endsWith('.woff2') ? null : 'gzip'
  if (headers.get('content-encoding') !== encoding)
    throw new Error(`${url} is sent as ${headers.get('content-encoding')}, not ${encoding}`)
  const bytes = Number(headers.get('content-length'))
  if (!(bytes > 0)) throw new Error(`${url} is sent without its content-length`)
  return bytes
}
