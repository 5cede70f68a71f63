import type { Block } from './pages.ts'

/** A way in which blocks are checked, and the test that does it. */
interface Check {
  readonly by: string
  /** The page, or the folder of pages. */
  readonly pages?: string
  readonly info: readonly string[]
}

const CONFIGURATIONS = 'harness/test/docs/configurations.test.ts'
const COMMANDS = 'harness/test/docs/commands.test.ts'
const TOURS = 'harness/test/tour.test.ts'
const DATA = 'harness/test/docs/data.test.ts'

/** The first one that fits a block checks it. */
const CHECKS = {
  /** These pages are generated from the programs that the test runs. */
  receivers: { by: 'harness/test/receiving.test.ts', pages: 'docs/receive/', info: ['*'] },
  /** Generated from the commands themselves. */
  commandLine: { by: 'tools/documentsCheck.ts', pages: 'docs/cli.md', info: ['text'] },
  receiverSnippets: {
    by: 'packages/receiver/test/package/readme.test.ts',
    pages: 'packages/receiver/README.md',
    info: ['ts'],
  },
  clientSnippets: {
    by: 'packages/client/test/tour.test.ts',
    pages: 'packages/client/README.md',
    info: ['ts content tour', 'ts ads tour'],
  },
  otherClientSnippets: {
    by: 'packages/client/test/readme.test.ts',
    pages: 'packages/client/README.md',
    info: ['ts'],
  },
  pasted: { by: TOURS, info: ['sh tour'] },
  printed: { by: TOURS, info: ['text output', 'json output'] },
  modules: { by: TOURS, info: ['javascript', 'ts'] },
  statements: { by: TOURS, pages: 'docs/outbox.md', info: ['sql'] },
  commands: { by: COMMANDS, info: ['sh', 'console'] },
  nginx: { by: CONFIGURATIONS, info: ['nginx'] },
  caddy: { by: CONFIGURATIONS, info: ['text Caddyfile'] },
  squid: { by: CONFIGURATIONS, info: ['text squid'] },
  systemd: { by: CONFIGURATIONS, info: ['ini'] },
  settings: { by: CONFIGURATIONS, pages: 'docs/configuration.md', info: ['yaml'] },
  prometheus: { by: CONFIGURATIONS, pages: 'docs/operations/alerts.md', info: ['yaml'] },
  profiles: { by: DATA, info: ['json profile'] },
  messages: { by: DATA, info: ['json problem', 'json request'] },
  operationalEvents: { by: 'harness/test/console/warnings.test.ts', info: ['json event'] },
  /** Drawn or written for people: nothing in it can run. */
  forPeople: { by: 'people', info: ['text drawing', 'text letter'] },
} satisfies Readonly<Record<string, Check>>

export type CheckName = keyof typeof CHECKS

/** @returns what checks a block; `null`: nothing does */
export function checkOf({ page, info }: Pick<Block, 'page' | 'info'>): CheckName | null {
  const fits = ([, check]: [string, Check]) =>
    page.startsWith(check.pages ?? '') && (check.info.includes('*') || check.info.includes(info))
  return (Object.entries(CHECKS).find(fits)?.[0] ?? null) as CheckName | null
}

export const testOf = (check: CheckName): string => CHECKS[check].by
