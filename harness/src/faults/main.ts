import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { exitOnSignals } from '../support/children.ts'
import { readOptions, USAGE } from './options.ts'
import { type RunReport, runFaults } from './run.ts'

function summaryOf({ totals, most, untried }: RunReport): string {
  const counts = (all: Readonly<Record<string, number>>) =>
    Object.entries(all)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')
  return [
    `rounds      ${totals.rounds}`,
    `faults      ${counts(totals.faults)}`,
    `events      ${totals.events}; ${totals.failedTries} tries to publish failed and were repeated where it was safe`,
    `deliveries  ${totals.deliveries}: ${counts(totals.states)}`,
    `attempts    ${totals.attempts} recorded, ${totals.requests} requests seen`,
    `duplicates  ${totals.duplicates}, with ${totals.sends} sends by hand; nodes may have lost results ${totals.losses} times`,
    `leases      ${totals.unforcedLapses} ran out though nothing was done to their nodes`,
    `at most     ${most.fileDescriptors} file descriptors, ${most.sockets} of them sockets, ${Math.round(most.rssBytes / 1024 ** 2)} MB in a node`,
    ...untried.map((reason) => `not tried   ${reason}`),
  ].join('\n')
}

const options = readOptions(process.argv.slice(2))
if (options === null) {
  process.stdout.write(USAGE)
  process.exit(2)
}
exitOnSignals()
const { seed, store, nodes, rounds, first, kinds, keep } = options
const directory = mkdtempSync(path.join(os.tmpdir(), 'posthorn-faults-'))
process.stdout.write(`seed ${seed}, logs in ${directory}\n`)
const startedAt = performance.now()
const report = await runFaults({
  store,
  nodes,
  rounds,
  first,
  seed,
  kinds,
  directory,
  onRound(round, totals) {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    process.stdout.write(
      `\rround ${round} of ${first + rounds - 1}, ${seconds} s, ${totals.events} events, ${totals.requests} requests `,
    )
  },
})
const { contradictions, failedRound } = report
process.stdout.write(`\n${summaryOf(report)}\n`)
for (const contradiction of contradictions.slice(0, 20))
  process.stdout.write(`CONTRADICTION ${contradiction.slice(0, 400)}\n`)
if (contradictions.length > 0) {
  const replay = ['--store', store, '--nodes', nodes, '--seed', seed, ...kinds.flatMap((k) => ['--fault', k])]
  const where = failedRound === null ? 'at the end' : `in round ${failedRound}`
  process.stdout.write(
    `${contradictions.length} contradictions ${where}; logs and evidence are in ${directory}\n` +
      `replay: npm run faults -- ${replay.join(' ')} --first ${failedRound ?? first} --rounds 1\n`,
  )
} else {
  process.stdout.write('nothing lost\n')
  if (!keep) rmSync(directory, { recursive: true })
}
process.exit(contradictions.length === 0 ? 0 : 1)
