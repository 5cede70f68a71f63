const LINK = /<a\b[^>]*\bhref="([^"]+)"/g
const SOURCE = /<(?:img|script|link)\b[^>]*\b(?:src|href)="([^"]+)"/g
const ID = /\bid="([^"]+)"/g
const START = '/help/'

interface Page {
  readonly links: readonly string[]
  /** Addresses of scripts, styles and pictures. */
  readonly sources: readonly string[]
  readonly ids: ReadonlySet<string>
}

/**
 * Follows all links within the documentation, from its first page on.
 * @returns the paths of the pages, and each link whose page, file or anchor does not exist
 */
export async function followLinks(
  origin: string,
): Promise<{ readonly pages: readonly string[]; readonly broken: readonly string[] }> {
  const pages = new Map<string, Page | null>()
  const waiting = [START]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (pages.has(path)) continue
    const page = await readPage(origin, path)
    pages.set(path, page)
    waiting.push(...(page?.links ?? []).map((link) => link.split('#')[0]!))
  }
  const broken = [...pages].flatMap(([path, page]) =>
    (page?.links ?? []).filter((link) => !leads(link, pages)).map((link) => `${path}: ${link}`),
  )
  const sources = new Set([...pages.values()].flatMap((page) => page?.sources ?? []))
  for (const source of sources)
    if (!(await fetch(source, { method: 'HEAD' })).ok) broken.push(`file: ${source}`)
  return { pages: [...pages.keys()], broken: [...new Set(broken)] }
}

/** @returns `null` if there is no such page */
async function readPage(origin: string, path: string): Promise<Page | null> {
  const response = await fetch(origin + path)
  if (!response.ok) return null
  const html = await response.text()
  const links = namesIn(html, LINK)
    .map((href) => new URL(href, origin + path))
    .filter((url) => url.origin === origin && url.pathname.startsWith(START))
    .map(({ pathname, hash }) => pathname + hash)
  const sources = namesIn(html, SOURCE).map((source) => new URL(source, origin + path).href)
  return { links, sources, ids: new Set(namesIn(html, ID)) }
}

function leads(link: string, pages: ReadonlyMap<string, Page | null>): boolean {
  const [path, anchor = ''] = link.split('#') as [string, string?]
  const page = pages.get(path) ?? null
  return page !== null && (anchor === '' || page.ids.has(decodeURIComponent(anchor)))
}

const namesIn = (html: string, pattern: RegExp): string[] =>
  Array.from(html.matchAll(pattern), ([, name]) => name!.replaceAll('&amp;', '&'))
