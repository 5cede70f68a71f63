import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { MUTANTS, type Mutant, type Suite } from '../packages/server/test/mutants/index.ts'

// Adds one bug after another to a copy of the tree, and checks that the suite named for it fails.

const USAGE = `npm run mutants -- [--only TEXT]... [--list]

  --only TEXT  only mutants whose names or suites contain this; may be given several times
  --list       prints their names and suites, and runs nothing
`
/** A suite that takes longer than this hangs. */
const PATIENCE_MS = 600_000
const PACKAGES = [
  '.',
  'packages/client',
  'packages/receiver',
  'packages/server',
  'apps/console',
  'apps/reference',
  'harness',
]

const root = path.resolve(import.meta.dirname, '..')
const tree = path.join(root, '.mutants', 'tree')
const reportFile = path.join(root, '.mutants', 'report.json')

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

interface Outcome {
  /** The first test that failed by an assertion; `null`: none did. */
  readonly caughtBy: string | null
  /** Why the result is not valid; `null`: the tests ran. */
  readonly trouble: string | null
  readonly seconds: number
}

/** The tree as git knows it, including uncommitted changes; all files are links, so that this is fast. */
function copyTree(): void {
  rmSync(path.dirname(tree), { recursive: true, force: true })
  const listed = run('git', ['ls-files', '-co', '--exclude-standard'], root).stdout
  for (const file of listed.split('\n').filter((name) => existsSync(path.join(root, name)) && name !== '')) {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true })
    linkSync(path.join(root, file), path.join(tree, file))
  }
  for (const name of PACKAGES) {
    const modules = path.join(root, name, 'node_modules')
    if (existsSync(modules)) symlinkSync(modules, path.join(tree, name, 'node_modules'))
  }
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' as const, timeout: PATIENCE_MS }
  return spawnSync(command, args, { ...options, maxBuffer: 1e9 })
}

/** Never written in place: the file is a link to that of the real tree. */
function rewrite({ file, text, replacement }: Mutant): void {
  const target = path.join(tree, file)
  const code = readFileSync(target, 'utf8')
  rmSync(target)
  writeFileSync(
    target,
    code.replace(text, () => replacement),
  )
}

function restore({ file }: Mutant): void {
  rmSync(path.join(tree, file))
  linkSync(path.join(root, file), path.join(tree, file))
}

function runSuite({ files, tests, needs }: Suite): Outcome {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  if (needs === 'build') {
    const built = run('node', ['../../tools/build.js'], path.join(tree, 'packages/server'))
    if (built.status !== 0)
      return { caughtBy: null, trouble: `no build: ${built.stderr}`, seconds: seconds() }
  }
  rmSync(reportFile, { force: true })
  const args = ['vitest', 'run', '--config', 'tools/vitestOfMutants.ts', ...files]
  const filter = tests === undefined ? [] : ['-t', tests]
  const report = ['--reporter', 'json', '--outputFile', reportFile]
  // Suites of stores have many small tests, of which the first to fail may throw an error.
  const bail = needs === undefined ? ['--bail', '1'] : []
  const { status } = run('npx', [...args, ...filter, ...report, ...bail], tree, { MUTANT_NEEDS: needs ?? '' })
  if (!existsSync(reportFile))
    return { caughtBy: null, trouble: `no report, status ${status}`, seconds: seconds() }
  return { ...judge(JSON.parse(readFileSync(reportFile, 'utf8')) as Report), seconds: seconds() }
}

function judge({ testResults, numTotalTests, numPassedTests }: Report): Omit<Outcome, 'seconds'> {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = all.filter(({ status }) => status === 'failed')
  const byAssertion = failed.find(({ failureMessages }) =>
    failureMessages.some((message) => message.startsWith('AssertionError')),
  )
  if (byAssertion !== undefined) return { caughtBy: byAssertion.fullName, trouble: null }
  const broken = testResults.find(({ message }) => message !== '' && failed.length === 0)
  if (broken !== undefined) return { caughtBy: null, trouble: broken.message }
  if (failed.length > 0) return { caughtBy: null, trouble: `an error: ${failed[0]!.failureMessages[0]}` }
  if (numPassedTests === 0) return { caughtBy: null, trouble: `none of ${numTotalTests} tests ran` }
  return { caughtBy: null, trouble: null }
}

function show(name: string, verdict: string, seconds: number): void {
  process.stdout.write(`| ${name} | ${verdict.split('\n')[0]!.slice(0, 160)} | ${seconds.toFixed(0)} |\n`)
}

const nameOf = ({ files, tests }: Suite) =>
  `${files.map((file) => path.basename(file, '.test.ts')).join(', ')}${tests === undefined ? '' : `: ${tests}`}`

/** Without a mutant each suite must pass: one that always fails would catch everything. */
function checkSuites(mutants: readonly Mutant[]): boolean {
  const suites = new Map(mutants.map(({ caughtBy }) => [JSON.stringify(caughtBy), caughtBy]))
  let fine = true
  for (const suite of suites.values()) {
    const { caughtBy, trouble, seconds } = runSuite({ ...suite })
    const passed = caughtBy === null && trouble === null
    show(`no mutant, ${nameOf(suite)}`, passed ? 'passes' : `FAILS: ${caughtBy ?? trouble}`, seconds)
    fine &&= passed
  }
  return fine
}

function runMutants(mutants: readonly Mutant[]): number {
  let survivors = 0
  for (const mutant of mutants) {
    rewrite(mutant)
    const { caughtBy, trouble, seconds } = runSuite(mutant.caughtBy)
    restore(mutant)
    if (caughtBy === null) survivors++
    const failure = trouble === null ? 'NOT CAUGHT' : `NOT CAUGHT: ${trouble}`
    show(mutant.name, caughtBy === null ? failure : `${nameOf(mutant.caughtBy)}: ${caughtBy}`, seconds)
  }
  return survivors
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(USAGE)
  process.exit(2)
}
const isWanted = ({ name, caughtBy }: Mutant) =>
  values.only?.some((part) => name.includes(part) || nameOf(caughtBy).includes(part)) ?? true
const chosen = MUTANTS.filter(isWanted)
if (values.list) {
  for (const { name, caughtBy } of chosen) process.stdout.write(`${name}: ${nameOf(caughtBy)}\n`)
  process.exit(0)
}
copyTree()
process.stdout.write('| mutant | caught by | seconds |\n|---|---|---|\n')
const fine = checkSuites(chosen)
const survivors = fine ? runMutants(chosen) : chosen.length
rmSync(path.dirname(tree), { recursive: true, force: true })
process.stdout.write(`${chosen.length - survivors} of ${chosen.length} mutants were caught\n`)
process.exit(fine && survivors === 0 ? 0 : 1)
