import path from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** Shows links to files of the repository that are no pages as their text alone. */
export function unlinkOutside(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('outside-links', ({ tokens, env }) => {
    const folder = path.posix.dirname((env as { relativePath: string }).relativePath)
    for (const { children } of tokens) {
      let hides = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') hides = isOutside(folder, String(token.attrGet('href')))
        if (hides && token.type.startsWith('link_'))
          Object.assign(token, { type: 'text', content: '', tag: '', nesting: 0 })
        if (token.type === 'link_close') hides = false
      }
    }
  })
}

const isOutside = (folder: string, href: string): boolean =>
  !/^([a-z]+:|#|\/)/i.test(href) && path.posix.join(folder, href).startsWith('..')
