import { exitOnSignals } from '../support/children.ts'
import { lookAround } from './frame/atStart.ts'
import { messageOf } from './frame/benchError.ts'
import { usageOf } from './frame/flags.ts'
import { openJsonFile } from './frame/jsonFile.ts'
import { type Plan, planOf } from './frame/plan.ts'
import type { Report } from './frame/report.ts'
import { runScenario } from './frame/runScenario.ts'
import { SCENARIOS } from './scenarios/index.ts'

const atStart = lookAround()
const write = (text: string) => void process.stdout.write(text)

/** @returns whether all runs finished and were sound */
async function carryOut({ runs, skipped, jsonFile }: Plan): Promise<boolean> {
  const writeJson = jsonFile === null ? () => {} : openJsonFile(jsonFile)
  for (const line of skipped) write(`skipped ${line}\n`)
  const reports: Report[] = []
  for (const { scenario, settings } of runs) {
    const earlier = [...reports]
    const keep = (report: Report) => writeJson(runs.length === 1 ? report : [...earlier, report])
    // If one cannot run, the others still do.
    const report = await orComplain(runScenario(scenario, settings, { atStart, write, keep }))
    if (report !== null) reports.push(report)
  }
  return reports.length === runs.length && reports.every(({ complaints }) => complaints.length === 0)
}

/** @returns `null` after an error, which it prints */
async function orComplain<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    process.stderr.write(`\n${messageOf(error)}\n`)
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
