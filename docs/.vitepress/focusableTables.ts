import type { MarkdownRenderer } from 'vitepress'

/** Wide tables scroll, which people without a pointer can do only if they can focus them. */
export function focusableTables(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('focusable-tables', ({ tokens }) => {
    for (const token of tokens) if (token.type === 'table_open') token.attrSet('tabindex', '0')
  })
}
