import path from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

const DOCS = 'docs'
/** It includes a file of the root, so its links start there. */
const CHANGELOG = 'changelog.md'

/** Shows links to files of the repository that are no pages as their text alone. */
export function unlinkOutside(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('outside-links', ({ tokens, env }) => {
    const page = (env as { relativePath: string }).relativePath
    for (const { children } of tokens) unlink(children ?? [], page)
  })
}

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** @param tokens of one paragraph */
function unlink(tokens: readonly Token[], page: string): void {
  let hides = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = linkFrom(page, String(token.attrGet('href')))
      hides = href === null
      if (href !== null) token.attrSet('href', href)
    }
    if (hides && token.type.startsWith('link_'))
      Object.assign(token, { type: 'text', content: '', tag: '', nesting: 0 })
    if (token.type === 'link_close') hides = false
  }
}

/** @returns a link as the page's own folder has it; `null`: it leads to a file that is not served */
export function linkFrom(page: string, href: string): string | null {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href
  const folder = path.posix.join(DOCS, path.posix.dirname(page))
  const target = path.posix.join(page === CHANGELOG ? '' : folder, href)
  return target.startsWith(`${DOCS}/`) ? path.posix.relative(folder, target) : null
}
