import { exitOnSignals } from '../support/children.ts'
import type { Scenario } from './scenario.ts'
import { apiCost } from './scenarios/apiCost.ts'
import { throughput } from './scenarios/throughput.ts'

const SCENARIOS: readonly Scenario[] = [throughput, apiCost]

function help(): string {
  const scenarios = SCENARIOS.map(({ name, summary, usage }) => `${name}: ${summary}\n${usage}`)
  return `usage: npm run bench -- <scenario> [flags]\n\n${scenarios.join('\n\n')}\n`
}

const [name = 'throughput', ...args] = process.argv.slice(2)
const scenario = SCENARIOS.find((candidate) => candidate.name === name)
if (scenario === undefined || args.includes('--help')) {
  process.stdout.write(help())
  process.exit(scenario === undefined && name !== '--help' ? 1 : 0)
}
exitOnSignals()
process.exit((await scenario.run(args)) ? 0 : 1)
