import { writeFileSync } from 'node:fs'
import { exitOnSignals } from '../support/children.ts'
import { BenchError } from './frame/benchError.ts'
import { usageOf } from './frame/flags.ts'
import { type Plan, planOf } from './frame/plan.ts'
import type { Report } from './frame/report.ts'
import { runScenario } from './frame/runScenario.ts'
import { SCENARIOS } from './scenarios/index.ts'

const write = (text: string) => void process.stdout.write(text)

/** @returns whether all runs came to their end and were sound */
async function carryOut({ runs, skipped, jsonFile }: Plan): Promise<boolean> {
  for (const line of skipped) write(`skipped ${line}\n`)
  const reports: Report[] = []
  for (const { scenario, settings } of runs) {
    // Where one cannot run, the others still do.
    const report = await orComplain(runScenario(scenario, settings, write))
    if (report !== null) reports.push(report)
  }
  if (jsonFile !== null && reports.length > 0) {
    const all = runs.length === 1 ? reports[0] : reports
    writeFileSync(jsonFile, `${JSON.stringify(all, null, 2)}\n`)
  }
  return reports.length === runs.length && reports.every(({ complaints }) => complaints.length === 0)
}

/** @returns `null` after a BenchError, whose message is written then */
async function orComplain<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof BenchError)) throw error
    process.stderr.write(`\n${error.message}\n`)
    return null
  }
}

const args = process.argv.slice(2)
if (args.includes('--help')) {
  write(usageOf(SCENARIOS))
  process.exit(0)
}
exitOnSignals()
const sound = await orComplain((async () => carryOut(planOf(SCENARIOS, args)))())
process.exit(sound === true ? 0 : 1)
