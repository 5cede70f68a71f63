import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { visit } from 'unist-util-visit'
import { pagesForReaders, ROOT } from '../markdown/files.ts'

export { ROOT } from '../markdown/files.ts'

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  readonly line: number
  /** What follows the fence: the language and, where that is not enough, what the block is, such as `sh tour`. */
  readonly info: string
  readonly text: string
}

export const PAGES: readonly string[] = pagesForReaders()

const treeOf = (page: string) => fromMarkdown(readFileSync(path.join(ROOT, page), 'utf8'))

export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = []
  visit(treeOf(page), 'code', ({ lang, meta, value, position }) => {
    const info = [lang, meta].filter((word) => word != null).join(' ')
    blocks.push({ page, line: position!.start.line, info, text: `${value}\n` })
  })
  return blocks
}

/** Code within sentences and tables. */
export function inlineCodeOf(page: string): readonly Pick<Block, 'page' | 'line' | 'text'>[] {
  const found: Pick<Block, 'page' | 'line' | 'text'>[] = []
  visit(treeOf(page), 'inlineCode', ({ value, position }) => {
    found.push({ page, line: position!.start.line, text: value })
  })
  return found
}

export const allBlocks = (): readonly Block[] => PAGES.flatMap(blocksOf)
export const placeOf = ({ page, line }: Pick<Block, 'page' | 'line'>): string => `${page}:${line}`
