import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../support/children.ts'
import { runOutage } from './outage.ts'
import { WAYS } from './ways.ts'

const USAGE = `usage: npm run outage -- [flags]

  --store sqlite       what nodes keep everything in: sqlite (one node) or postgres (three)
  --fault <kind>       how the way out breaks, of all nodes; may be given several times; all when left out:
                       ${WAYS.map(({ name }) => name).join(', ')}
  --seconds 180        how long
`

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    fault: { type: 'string', multiple: true, default: WAYS.map(({ name }) => name) },
    seconds: { type: 'string', default: '180' },
    help: { type: 'boolean', default: false },
  },
})
const { store, fault: names } = values
const seconds = Number(values.seconds)
const ways = WAYS.filter(({ name }) => names.includes(name))
const makesSense =
  (store === 'sqlite' || store === 'postgres') &&
  ways.length === names.length &&
  Number.isInteger(seconds) &&
  seconds > 0
if (values.help || !makesSense) {
  process.stdout.write(USAGE)
  process.exit(2)
}
exitOnSignals()
const directory = mkdtempSync(path.join(os.tmpdir(), 'posthorn-outage-'))
let fine = true
process.stdout.write(
  '| fault | deliveries | waited | came through meanwhile | off | attempts used | e-mails | refused publishes | all delivered after | wait of the first minute, p50, p99 |\n|---|---|---|---|---|---|---|---|---|---|\n',
)
for (const { name } of ways) {
  const report = await runOutage({
    store: store as 'sqlite' | 'postgres',
    way: name,
    seconds,
    directory: path.join(directory, name),
  })
  const {
    deliveries,
    waited,
    cameThrough,
    webhooksOff,
    attemptsUsed,
    emails,
    refusedPublishes,
    deliveredWithinMs,
    p50Ms,
    p99Ms,
  } = report
  const after = deliveredWithinMs === null ? 'NOT WITHIN 120 s' : `${(deliveredWithinMs / 1000).toFixed(1)} s`
  process.stdout.write(
    `| ${name} | ${deliveries} | ${waited} | ${cameThrough} | ${webhooksOff} | ${attemptsUsed} | ${emails} | ${refusedPublishes} | ${after} | ${p50Ms} ms, ${p99Ms} ms |\n`,
  )
  fine &&= webhooksOff + attemptsUsed + emails + refusedPublishes === 0 && deliveredWithinMs !== null
}
rmSync(directory, { recursive: true, force: true })
process.exit(fine ? 0 : 1)
