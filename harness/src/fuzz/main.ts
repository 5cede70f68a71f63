import { parseArgs } from 'node:util'
import { exitOnSignals } from '../support/children.ts'
import { fuzzPosthorn } from './posthorn/run.ts'
import { findingText, summaryOf } from './report.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const requests = Number(values.requests)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
if (!Number.isInteger(requests) || requests < 1 || !Number.isInteger(seed)) {
  throw new Error('usage: fuzz [--requests N] [--seed N]')
}

exitOnSignals()
process.stdout.write(`seed ${seed}\n`)
const report = await fuzzPosthorn({
  requests,
  seed,
  onProgress: (sent) => process.stdout.write(`request ${sent} of ${requests}\r`),
})
process.stdout.write(`\n${report.coverage.table()}\n\n${summaryOf(report)}\n`)
for (const finding of report.findings) process.stdout.write(`\nFINDING ${findingText(finding, seed)}\n`)
for (const complaint of report.complaints) process.stdout.write(`\nCOMPLAINT ${complaint}\n`)
process.exit(report.findings.length + report.complaints.length === 0 ? 0 : 1)
