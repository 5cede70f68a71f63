import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The folder of all pages. */
export const PAGES_DIR = path.resolve(import.meta.dirname, '..')

interface Section {
  readonly text: string
  /** Paths of pages, without `.md`. */
  readonly pages: readonly string[]
}

const pagesIn = (folder: string): string[] =>
  readdirSync(path.join(PAGES_DIR, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.slice(0, -'.md'.length)}`)
    .sort()

/** What the sidebar and llms.txt list. */
export const SECTIONS: readonly Section[] = [
  { text: 'Start', pages: ['index'] },
  { text: 'Publish', pages: ['outbox'] },
  { text: 'Receive', pages: ['receiving', 'consumers', ...pagesIn('receive')] },
  {
    text: 'Operate',
    pages: [
      'operations/installing',
      'configuration',
      'cli',
      ...pagesIn('operations').filter((page) => page !== 'operations/installing'),
    ],
  },
  { text: 'Security and scale', pages: ['security', 'scaling', 'performance'] },
  { text: 'How it works', pages: ['architecture', 'state-machine', ...pagesIn('adr')] },
]

/** @returns the first heading of a page */
export function titleOf(page: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(path.join(PAGES_DIR, `${page}.md`), 'utf8'))
  if (heading === null) throw new Error(`docs/${page}.md has no heading`)
  return heading[1]!
}
