import { readFileSync } from 'node:fs'
import { slugify } from '@mdit-vue/shared'
import GithubSlugger from 'github-slugger'
import { marked, type Token, type Tokens } from 'marked'

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

/** @param file its absolute path */
export function readPage(file: string): MarkdownPage {
  const headings: Heading[] = []
  const targets: string[] = []
  const ids: string[] = []
  const slugger = new GithubSlugger()
  const text = readFileSync(file, 'utf8').replace(/^---\n.*?\n---\n/s, '')
  marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type === 'link' || token.type === 'image') targets.push(token.href as string)
    if (token.type === 'html') {
      targets.push(...matches(token.raw, HTML_TARGET))
      ids.push(...matches(token.raw, HTML_ID))
    }
    if (token.type !== 'heading') return
    const shown = textOf((token as Tokens.Heading).tokens)
    headings.push({ text: shown, slug: slugger.slug(shown), siteSlug: slugify(shown) })
  })
  return { headings, targets, ids }
}

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!)

/** What a reader sees of inline Markdown. */
function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return textOf(token.tokens)
      if (token.type === 'html' || token.type === 'image') return ''
      return 'text' in token ? unescaped(token.text as string) : token.raw
    })
    .join('')
}

/** marked gives some text as HTML. */
const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
