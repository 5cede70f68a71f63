import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { markdownFiles, projectFiles, ROOT } from '../src/markdown/files.ts'
import { type MarkdownPage, readPage } from '../src/markdown/page.ts'

const PICTURE = /\.(png|svg|jpe?g|gif|webp|avif)$/
/** Addresses of other hosts, and paths of a running service such as `/docs`. */
const OUTSIDE = /^([a-z][a-z+.-]*:|\/)/i

interface Link {
  readonly file: string
  readonly target: string
}

const pages: ReadonlyMap<string, MarkdownPage> = new Map(
  markdownFiles().map((file) => [file, readPage(path.join(ROOT, file))]),
)
const links: readonly Link[] = [...pages].flatMap(([file, { targets }]) =>
  targets.filter((target) => !OUTSIDE.test(target)).map((target) => ({ file, target })),
)

/** The file that a link leads to, from the root of the project. */
function fileOf({ file, target }: Link): string {
  const to = decodeURI(target.split(/[#?]/, 1)[0]!)
  return to === '' ? file : path.join(path.dirname(file), to)
}

const fragmentOf = ({ target }: Link): string => target.split('#')[1] ?? ''

const headingOf = (link: Link) =>
  pages.get(fileOf(link))?.headings.find(({ slug }) => slug === fragmentOf(link))

test('every link from one file of the project to another has an existing target', () => {
  expect(pages.size).toBeGreaterThan(100)
  expect(links.length).toBeGreaterThan(500)
  expect(links.filter((link) => !existsSync(path.join(ROOT, fileOf(link))))).toEqual([])
})

test('every link to a place in a page leads to a heading of it', () => {
  const toPlaces = links.filter((link) => fragmentOf(link) !== '' && fileOf(link).endsWith('.md'))
  expect(toPlaces.length).toBeGreaterThan(20)
  const broken = toPlaces.filter(
    (link) => headingOf(link) === undefined && !pages.get(fileOf(link))?.ids.includes(fragmentOf(link)),
  )
  expect(broken).toEqual([])
})

test('a heading that is linked to has the same address on GitHub and on the documentation site', () => {
  const headings = links
    .filter((link) => fileOf(link).startsWith('docs/'))
    .flatMap((link) => headingOf(link) ?? [])
  expect(headings.filter(({ slug, siteSlug }) => slug !== siteSlug)).toEqual([])
})

test('every picture in docs is on a page', () => {
  const used = new Set(links.map(fileOf))
  const unused = projectFiles().filter(
    (file) => file.startsWith('docs/') && PICTURE.test(file) && !used.has(file) && !isOfSite(file),
  )
  expect(unused).toEqual([])
})

/** VitePress itself shows these. */
const isOfSite = (file: string): boolean => file === 'docs/public/logo.svg'
