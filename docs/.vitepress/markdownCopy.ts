import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { linkFrom } from './outsideLinks.ts'
import { PAGES_DIR } from './sections.ts'

/** `{3,}` names the first line. */
const INCLUDE = /^<!--\s*@include:\s*([^\s{]+)(?:\{(\d+),\})?\s*-->$/gm
const LINK = /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g

/** Writes a page for programs: with what it includes and its pictures, without links to what is not served. */
export function copyMarkdown(page: string, outDir: string): void {
  const folder = path.posix.dirname(page)
  const source = readFileSync(path.join(PAGES_DIR, page), 'utf8')
  const complete = source.replaceAll(INCLUDE, (_line, file: string, first = '1') => {
    const lines = readFileSync(path.join(PAGES_DIR, folder, file), 'utf8')
      .trimEnd()
      .split('\n')
    return lines.slice(Number(first) - 1).join('\n')
  })
  const text = complete.replaceAll(LINK, (link, mark: string, words: string, href: string) => {
    const served = linkFrom(page, href)
    if (served === null) return words
    if (mark !== '') copyPicture(path.posix.join(folder, served), outDir)
    return link.replace(href, served)
  })
  const target = path.join(outDir, page)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}

const copyPicture = (file: string, outDir: string): void =>
  cpSync(path.join(PAGES_DIR, file), path.join(outDir, file))
