import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** In Markdown and its embedded HTML. */
const LINKS = /\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/g

const PACKAGES = readdirSync(path.join(ROOT, 'packages')).map((name) => path.join('packages', name))

const markdownIn = (directory: string) =>
  readdirSync(path.join(ROOT, directory))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(directory, name))

const docs = () => ['docs', ...foldersIn('docs')].flatMap(markdownIn)

const foldersIn = (directory: string): string[] =>
  readdirSync(path.join(ROOT, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))

/** Paths that a page links to, without the fragment. */
function linksIn(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  return [...text.matchAll(LINKS)]
    .map((match) => (match[1] ?? match[2])!.split('#')[0]!)
    .filter((link) => link !== '' && !/^[a-z]+:/i.test(link))
}

test('every link from one file of the project to another has an existing target', () => {
  const files = [...markdownIn('.'), ...PACKAGES.flatMap(markdownIn), ...docs()]
  const links = files.flatMap((file) => linksIn(file).map((link) => ({ file, link })))
  expect(links.length).toBeGreaterThan(20)
  const broken = links.filter(({ file, link }) => !existsSync(path.join(ROOT, path.dirname(file), link)))
  expect(broken).toEqual([])
})
