import { readFileSync } from 'node:fs'
import { slugify } from '@mdit-vue/shared'
import GithubSlugger from 'github-slugger'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { visit } from 'unist-util-visit'

interface Heading {
  readonly text: string
  /** The fragment of its address on GitHub. */
  readonly slug: string
  /** The same on the documentation site. */
  readonly siteSlug: string
}

/** A Markdown page: where its links and pictures lead, and what others can link to. */
export interface MarkdownPage {
  readonly headings: readonly Heading[]
  /** Addresses as written, of links and pictures. */
  readonly targets: readonly string[]
  /** Ids that its HTML sets. */
  readonly ids: readonly string[]
}

const HTML_TARGET = /\s(?:href|src|srcset)="([^"\s]+)/g
const HTML_ID = /\s(?:id|name)="([^"]+)"/g

type Tree = ReturnType<typeof fromMarkdown>
type Node = Tree | Tree['children'][number]

/** @param file its absolute path */
export function readPage(file: string): MarkdownPage {
  const headings: Heading[] = []
  const targets: string[] = []
  const ids: string[] = []
  const slugger = new GithubSlugger()
  const text = readFileSync(file, 'utf8').replace(/^---\n.*?\n---\n/s, '')
  visit(fromMarkdown(text), (node) => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') targets.push(node.url)
    if (node.type === 'html') {
      targets.push(...matches(node.value, HTML_TARGET))
      ids.push(...matches(node.value, HTML_ID))
    }
    if (node.type !== 'heading') return
    const shown = textOf(node)
    headings.push({ text: shown, slug: slugger.slug(shown), siteSlug: slugify(shown) })
  })
  return { headings, targets, ids }
}

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!)

/** What a reader sees of inline Markdown. */
function textOf(node: Node): string {
  if (node.type === 'html') return ''
  if ('children' in node) return node.children.map(textOf).join('')
  return 'value' in node ? node.value : ''
}
