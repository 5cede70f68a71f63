import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { SiteConfig } from 'vitepress'
import { PAGES_DIR, SECTIONS, titleOf } from './sections.ts'

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g
/** Others are compressed already. */
const COMPRESSIBLE = /\.(html|js|css|svg|md|txt)$/
/** Where the server reads which inline scripts its Content-Security-Policy allows. */
const SCRIPTS_FILE = 'inline-scripts.json'

/** Adds what programs read, and what the server needs to serve the site. */
export function afterBuild({ outDir, pages, site }: SiteConfig): void {
  for (const page of pages) cpSync(path.join(PAGES_DIR, page), path.join(outDir, page))
  writeFileSync(path.join(outDir, 'llms.txt'), llmsText(site.title, site.description, site.base))
  const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
  const hashes = new Set(
    files.filter((file) => file.endsWith('.html')).flatMap((file) => hashesIn(path.join(outDir, file))),
  )
  writeFileSync(path.join(outDir, SCRIPTS_FILE), JSON.stringify([...hashes].sort()))
  for (const file of files) if (COMPRESSIBLE.test(file)) compress(path.join(outDir, file))
}

/** The site as a list of its pages in Markdown, see llmstxt.org. */
function llmsText(title: string, description: string, base: string): string {
  const sections = SECTIONS.map(({ text, pages }) => {
    const links = pages.map((page) => `- [${titleOf(page)}](${base}${page}.md)\n`)
    return `## ${text}\n\n${links.join('')}`
  })
  return `# ${title}\n\n> ${description}\n\n${sections.join('\n')}`
}

const hashesIn = (file: string): string[] =>
  Array.from(
    readFileSync(file, 'utf8').matchAll(INLINE_SCRIPT),
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  )

function compress(file: string): void {
  const bytes = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
