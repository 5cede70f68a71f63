import { join } from 'node:path'
import { checkExamples } from './documents/examples.ts'
import { DIRECTORY, drift } from './documents/files.ts'
import { API_DOCUMENTS, GENERATED } from './documents/generated.ts'
import { lintAsyncApi, lintOpenApi } from './documents/lint.ts'

const made = await API_DOCUMENTS.make()
const complaints: string[] = []
for (const one of GENERATED) {
  const present = one === API_DOCUMENTS ? made : await one.make()
  complaints.push(...drift(one.kept(), present).map((complaint) => `${one.path}: ${complaint}`))
}
if (complaints.length > 0) {
  fail(['Documents are out of date. Run `npm run documents` and review the changes.', ...complaints])
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
