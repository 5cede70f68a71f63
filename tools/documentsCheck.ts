import { basename, join } from 'node:path'
import { commandLinePage } from './documents/commandLine.ts'
import { checkExamples } from './documents/examples.ts'
import {
  COMMAND_LINE_PAGE,
  DIRECTORY,
  drift,
  RECEIVER_PAGES,
  readFile,
  readFiles,
} from './documents/files.ts'
import { generateDocuments, generateReceiverPages } from './documents/generate.ts'
import { lintAsyncApi, lintOpenApi } from './documents/lint.ts'
import { settingsTableDrift } from './documents/settingsTable.ts'

const made = await generateDocuments()
const complaints = [
  ...drift(readFiles(DIRECTORY), made),
  ...drift(readFiles(RECEIVER_PAGES), generateReceiverPages()),
  ...drift(readFile(COMMAND_LINE_PAGE), new Map([[basename(COMMAND_LINE_PAGE), commandLinePage()]])),
  ...settingsTableDrift(),
]
if (complaints.length > 0) {
  fail([
    'docs/api, docs/receive, docs/cli.md or docs/configuration.md is out of date. Run `npm run documents` and review the changes.',
    ...complaints,
  ])
} else {
  const openApis = [...made.keys()].filter((name) => name.endsWith('.openapi.json'))
  const lint = lintOpenApi(openApis.map((name) => join(DIRECTORY, name)))
  const remarks = await lintAsyncApi(made.get('asyncapi.json') ?? '')
  const checked = [...made].map(([name, text]) => ({ name, ...checkExamples(JSON.parse(text)) }))
  const misfits = checked.flatMap(({ name, mistakes }) => mistakes.map((mistake) => `${name} ${mistake}`))
  const mistakes = [...(lint === '' ? [] : [lint]), ...remarks, ...misfits]
  if (mistakes.length > 0) fail(mistakes)
  else {
    const count = checked.reduce((sum, one) => sum + one.count, 0)
    process.stdout.write(`${made.size} documents are up to date and valid, with ${count} examples\n`)
  }
}

function fail(lines: readonly string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exitCode = 1
}
