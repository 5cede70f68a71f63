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
  { text: 'Start', pages: ['index', 'start', 'concepts', 'tour', 'comparison'] },
  { text: 'Publish', pages: ['publish', 'outbox', 'profiles', 'api'] },
  { text: 'Receive', pages: ['receiving', 'consumers', ...pagesIn('receive')] },
  { text: 'Console', pages: ['console'] },
  {
    text: 'Deploy',
    pages: [
      'operations/installing',
      'configuration',
      'cli',
      'operations/behind-a-proxy',
      'operations/firewall',
      'operations/e-mail',
      'operations/single-sign-on',
    ],
  },
  {
    text: 'Operate',
    pages: [
      'operations/high-availability',
      'operations/upgrading',
      'operations/moving-and-backups',
      'operations/master-key',
      'operations/admin-tokens',
    ],
  },
  {
    text: 'Observe',
    pages: [
      'operations/troubleshooting',
      'operations/runbook',
      'operations/alerts',
      'operations/operational-webhooks',
      'operations/traces',
      'operations/outages',
    ],
  },
  {
    text: 'Security and scale',
    pages: ['security', 'operations/sizing', 'scaling', 'performance', 'operations/faults'],
  },
  { text: 'How it works', pages: ['architecture', 'state-machine'] },
  { text: 'Changes', pages: ['changelog'] },
  { text: 'Decisions', pages: pagesIn('adr') },
]

/** @throws Error if a page is in no section, or in several */
export function checkSections(pages: readonly string[]): void {
  const listed = SECTIONS.flatMap((section) => section.pages.map((page) => `${page}.md`))
  const wrong = pages.filter((page) => listed.filter((one) => one === page).length !== 1)
  if (wrong.length > 0) throw new Error(`docs/.vitepress/sections.ts must list once: ${wrong.join(', ')}`)
}

/** @returns the first heading of a page */
export function titleOf(page: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(path.join(PAGES_DIR, `${page}.md`), 'utf8'))
  if (heading === null) throw new Error(`docs/${page}.md has no heading`)
  return heading[1]!
}
