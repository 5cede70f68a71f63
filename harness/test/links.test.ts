import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Of Markdown and of HTML in it. */
const LINKS = /\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/g

/** Paths that a page leads to, without what stands behind `#`. */
function linksIn(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  return [...text.matchAll(LINKS)]
    .map((match) => (match[1] ?? match[2])!.split('#')[0]!)
    .filter((link) => link !== '' && !/^[a-z]+:/i.test(link))
}

test('every link from one file of the project to another leads somewhere', () => {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
  const links = files.flatMap((file) => linksIn(file).map((link) => ({ file, link })))
  expect(links.length).toBeGreaterThan(20)
  const broken = links.filter(({ file, link }) => !existsSync(path.join(ROOT, path.dirname(file), link)))
  expect(broken).toEqual([])
})
