import { writeFileSync } from 'node:fs'
import { exitOnSignals } from '../support/children.ts'
import { BenchError } from './frame/benchError.ts'
import { usageOf } from './frame/flags.ts'
import { type Plan, planOf } from './frame/plan.ts'
import type { Report } from './frame/report.ts'
import { runScenario } from './frame/runScenario.ts'
import { SCENARIOS } from './scenarios/index.ts'

const write = (text: string) => void process.stdout.write(text)

/** @returns whether all runs were sound */
async function carryOut({ runs, skipped, jsonFile }: Plan): Promise<boolean> {
  for (const line of skipped) write(`skipped ${line}\n`)
  const reports: Report[] = []
  for (const { scenario, settings } of runs) reports.push(await runScenario(scenario, settings, write))
  if (jsonFile !== null) {
    const all = reports.length === 1 ? reports[0] : reports
    writeFileSync(jsonFile, `${JSON.stringify(all, null, 2)}\n`)
  }
  return reports.every(({ complaints }) => complaints.length === 0)
}

const args = process.argv.slice(2)
if (args.includes('--help')) {
  write(usageOf(SCENARIOS))
  process.exit(0)
}
exitOnSignals()
try {
  process.exit((await carryOut(planOf(SCENARIOS, args))) ? 0 : 1)
} catch (error) {
  if (!(error instanceof BenchError)) throw error
  process.stderr.write(`\n${error.message}\n`)
  process.exit(1)
}
