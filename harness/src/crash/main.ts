import { parseArgs } from 'node:util'
import { exitOnSignals } from '../support/children.ts'
import { runCrash } from './run.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' } },
})
const kills = Number(values.kills)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  throw new Error('usage: crash [--kills N] [--seed N]')
}

exitOnSignals()
process.stdout.write(`seed ${seed}\n`)
const { contradictions, byPath, ...totals } = await runCrash({
  kills,
  seed,
  onKill: (kill) => process.stdout.write(`kill ${kill} of ${kills}\r`),
})
process.stdout.write(`\n${JSON.stringify({ ...totals, byPath }, null, 2)}\n`)
for (const contradiction of contradictions) process.stdout.write(`CONTRADICTION ${contradiction}\n`)
const isWell = contradictions.length === 0 && totals.exitCode === 0
process.stdout.write(isWell ? 'nothing lost\n' : `failed, seed ${seed}\n`)
process.exit(isWell ? 0 : 1)
