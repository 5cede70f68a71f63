import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { failureOf, repeatSeed, runChaos, summaryOf } from './chaosRun.ts'
import { FAULT_KINDS, type FaultKind } from './plans/faultKinds.ts'
import { lineOf } from './traceText.ts'

const USAGE = `npm run simulate -- [--seed N] [--runs N] [--nodes N] [--fault KIND]... [--trace FILE]

Simulates nodes on one store on which all kinds of things go wrong.

  --seed N      the first seed, 1 by default
  --runs N      how many seeds in turn, 1 by default
  --nodes N     how many nodes there are; otherwise the seed decides
  --fault KIND  only faults of this kind; may be given several times
                ${Object.keys(FAULT_KINDS).join(', ')}
  --trace FILE  writes all that happened in the last run, one line for each entry
`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    nodes: { type: 'string' },
    fault: { type: 'string', multiple: true },
    trace: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const [first, runs] = [Number(values.seed), Number(values.runs)]
const kinds = values.fault ?? []
if (values.help || !Number.isInteger(first) || !Number.isInteger(runs) || !kinds.every(isKind)) {
  process.stdout.write(USAGE)
  process.exit(2)
}

function isKind(kind: string): kind is FaultKind {
  return kind in FAULT_KINDS
}

let failed = 0
for (let seed = first; seed < first + runs; seed++) {
  const run = await runChaos(seed, {
    ...(values.nodes === undefined ? {} : { nodes: Number(values.nodes) }),
    ...(kinds.length === 0 ? {} : { wanted: kinds.filter(isKind) }),
  })
  const failure = failureOf(run, repeatSeed(seed))
  process.stdout.write(`${summaryOf(run, seed)}\n${failure}`)
  if (failure !== '') failed++
  if (values.trace !== undefined)
    writeFileSync(values.trace, run.trace.entries.map((e) => `${lineOf(e)}\n`).join(''))
}
if (failed > 0) process.stdout.write(`${failed} of ${runs} runs failed\n`)
process.exit(failed === 0 ? 0 : 1)
