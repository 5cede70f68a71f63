import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SiteConfig } from 'vitepress'
import { compressFile } from '../../apps/compressFile.ts'
import { copyMarkdown } from './markdownCopy.ts'
import { checkSections, SECTIONS, titleOf } from './sections.ts'

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g
/** Others are compressed already. */
const COMPRESSIBLE = /\.(html|js|css|svg|md|txt)$/
/** Of the style sheet that the theme inserts while it changes colors, so that nothing fades. */
const THEME_STYLE = "'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='"
/** Of the generator's: pages contain what browsers need of it. */
const UNSERVED = ['hashmap.json']
/** Read by packages/server/src/http/help, which serves only the files in it. Written last. */
const SITE_FILE = 'site.json'

/** Adds what programs read, and what the server needs to serve the site. */
export function afterBuild({ outDir, pages, site }: SiteConfig): void {
  checkSections(pages)
  for (const page of pages) copyMarkdown(page, outDir)
  writeFileSync(path.join(outDir, 'llms.txt'), llmsText(site.title, site.description, site.base))
  const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(outDir, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => !UNSERVED.includes(file))
    .sort()
  const contents = new Map(files.map((file) => [file, readFileSync(path.join(outDir, file))]))
  for (const [file, bytes] of contents)
    if (COMPRESSIBLE.test(file)) compressFile(path.join(outDir, file), bytes)
  const scripts = new Set([...contents].flatMap(([file, bytes]) => scriptHashes(file, bytes)))
  const hashes = [...contents].map(([file, bytes]) => [file, sha256(bytes, 'base64url')])
  const built = { scripts: [...scripts].sort(), styles: [THEME_STYLE], files: Object.fromEntries(hashes) }
  writeFileSync(path.join(outDir, SITE_FILE), JSON.stringify(built))
}

/** The site as a list of its pages in Markdown, see llmstxt.org. */
function llmsText(title: string, description: string, base: string): string {
  const sections = SECTIONS.map(({ text, pages }) => {
    const links = pages.map((page) => `- [${titleOf(page)}](${base}${page}.md)\n`)
    return `## ${text}\n\n${links.join('')}`
  })
  return `# ${title}\n\n> ${description}\n\n${sections.join('\n')}`
}

const scriptHashes = (file: string, bytes: Buffer): string[] =>
  file.endsWith('.html')
    ? Array.from(
        bytes.toString().matchAll(INLINE_SCRIPT),
        ([, script]) => `'sha256-${sha256(script!, 'base64')}'`,
      )
    : []

const sha256 = (content: string | Buffer, encoding: 'base64' | 'base64url') =>
  createHash('sha256').update(content).digest(encoding)
