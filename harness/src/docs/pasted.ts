import { checkOf } from './checks.ts'
import { blocksOf } from './pages.ts'

/** The pages whose commands `harness/test/tour.test.ts` pastes into a shell. */
export const PASTED = [
  'README.md',
  'docs/start.md',
  'docs/tour.md',
  'docs/publish.md',
  'docs/profiles.md',
  'docs/receiving.md',
  'docs/outbox.md',
  'docs/consumers.md',
] as const

export type PastedPage = (typeof PASTED)[number]

/** The pages whose output it compares. */
export const PRINTED = ['docs/start.md', 'docs/profiles.md'] as const satisfies readonly PastedPage[]

/** The programs that it runs: a name for each block of a page, so that no block counts as run by the test of another. */
export const MODULES = {
  'docs/publish.md': ['publisher', 'client'],
  'docs/operations/operational-webhooks.md': ['verify'],
} as const

type ModulesPage = keyof typeof MODULES

/** @returns the programs of a page by their names @throws Error if the page has other programs than are named */
export function modulesOf<P extends ModulesPage>(
  page: P,
): Readonly<Record<(typeof MODULES)[P][number], string>> {
  const texts = textsOf(page, 'modules')
  const names: readonly string[] = MODULES[page]
  if (texts.length !== names.length)
    throw new Error(`${page} has ${texts.length} programs: name and test each in harness/src/docs/pasted.ts`)
  const byName = names.map((name, i) => [name, texts[i]!])
  return Object.fromEntries(byName) as Record<(typeof MODULES)[P][number], string>
}

/** The commands of a page that readers paste. */
export const linesOf = (page: PastedPage): string => textsOf(page, 'pasted').join('\n')

/** The blocks of a page that a check covers. */
export const textsOf = (
  page: PastedPage | ModulesPage,
  check: ReturnType<typeof checkOf>,
): readonly string[] =>
  blocksOf(page)
    .filter((block) => checkOf(block) === check)
    .map(({ text }) => text)

/** What differs at each run: ids, secrets, times, ports. */
const DIFFERS: readonly (readonly [RegExp, string])[] = [
  [/…/, '.*'],
  [/\bwhsec_\S+/, 'whsec_\\S+'],
  [/\b(evt|ws|usr)_[\da-z]{26}\b/, '$1_\\w{26}'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'],
  [/127\.0\.0\.1:\d+/, '127\\.0\\.0\\.1:\\d+'],
  [/\bin \d+s$/, 'in \\w+'],
]

/** The lines of output that a page shows, as expressions that match what a run prints. */
export const outputOf = (page: (typeof PRINTED)[number]): readonly RegExp[] =>
  textsOf(page, 'printed')
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.trim() !== '')
    .map((line) => new RegExp(`^\\s*${patternOf(line.trim())}$`, 'm'))

function patternOf(line: string): string {
  const [differing, pattern] = DIFFERS.find(([expression]) => expression.test(line)) ?? []
  if (differing === undefined) return line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const { index, 0: found } = differing.exec(line)!
  const own = found.replace(differing, pattern!)
  return `${patternOf(line.slice(0, index))}${own}${patternOf(line.slice(index + found.length))}`
}
