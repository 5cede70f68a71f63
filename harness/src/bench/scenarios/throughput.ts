import { writeFileSync } from 'node:fs'
import os from 'node:os'
import { parseArgs } from 'node:util'
import { describeMachine } from '../proc.ts'
import {
  type BareRound,
  type PosthornRound,
  type RoundOptions,
  runBareRound,
  runPosthornRound,
} from '../rounds.ts'
import type { Scenario } from '../scenario.ts'
import { type Summary, summarize, table } from '../statistics.ts'
import { STORES } from '../stores.ts'

interface Options extends RoundOptions {
  readonly rounds: number
  readonly jsonFile: string | null
}

const QUICK = { rounds: 1, seconds: 5 }
const FULL = { rounds: 3, seconds: 20 }
const WARM_UP_DELIVERIES = 50_000

interface Round extends PosthornRound {
  readonly bare: BareRound
  /** Of the rate of the bare loop in the same round. */
  readonly ratio: number
}

/** A figure of a round: its heading, and how it is written. */
interface Column {
  readonly heading: string
  readonly value: (round: Round) => number
  readonly show: (value: number) => string
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const decimals = (count: number) => (value: number) => value.toFixed(count)

const bytes = (value: number) => (Number.isNaN(value) ? '–' : whole(value))
const counted = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(4))

const COLUMNS: Readonly<Record<string, Column>> = {
  deliveriesPerSecond: { heading: 'deliveries/s', value: (r) => r.deliveriesPerSecond, show: whole },
  bareDeliveriesPerSecond: { heading: 'bare loop/s', value: (r) => r.bare.deliveriesPerSecond, show: whole },
  ratio: { heading: 'ratio', value: (r) => r.ratio, show: decimals(2) },
  acknowledgedPerSecond: { heading: 'acknowledged/s', value: (r) => r.acknowledgedPerSecond, show: whole },
  cpuMicrosPerDelivery: { heading: 'CPU µs', value: (r) => r.cpuMicrosPerDelivery, show: decimals(1) },
  databaseCpuMicrosPerDelivery: {
    heading: 'database CPU µs',
    value: (r) => r.databaseCpuMicrosPerDelivery,
    show: decimals(1),
  },
  bareCpuMicrosPerDelivery: {
    heading: 'bare CPU µs',
    value: (r) => r.bare.cpuMicrosPerDelivery,
    show: decimals(1),
  },
  peakRssMb: { heading: 'peak RSS MB', value: (r) => r.peakRssBytes / 1e6, show: whole },
  loopDelayP99Ms: { heading: 'loop p99 ms', value: (r) => r.loopDelayP99Ms, show: decimals(1) },
  diskBytesPerDelivery: { heading: 'disk B', value: (r) => r.diskBytesPerDelivery, show: whole },
  writtenBytesPerDelivery: { heading: 'written B', value: (r) => r.writtenBytesPerDelivery, show: whole },
  publisherBytesPerDelivery: {
    heading: 'publisher B',
    value: (r) => r.publisherBytesPerDelivery,
    show: bytes,
  },
  receiverBytesPerDelivery: { heading: 'receiver B', value: (r) => r.receiverBytesPerDelivery, show: bytes },
  databaseBytesPerDelivery: { heading: 'database B', value: (r) => r.databaseBytesPerDelivery, show: bytes },
  statementsPerDelivery: { heading: 'statements', value: (r) => r.statementsPerDelivery, show: counted },
  commitsPerDelivery: { heading: 'commits', value: (r) => r.commitsPerDelivery, show: counted },
}

export const throughput: Scenario = {
  name: 'throughput',
  summary: 'batch publish → store → send → receiver, beside a bare undici loop without a store',
  usage: [
    '  --store NAME    sqlite, or postgres: a server of its own for each round (sqlite)',
    `  --quick         ${QUICK.rounds} round of ${QUICK.seconds} s instead of ${FULL.rounds} of ${FULL.seconds} s`,
    '  --rounds N      rounds of both, in turn',
    '  --seconds N     measured in each round, after a warm-up of 50,000 deliveries',
    '  --webhooks N    webhooks that share the load (50)',
    '  --data-dir DIR  where the temporary stores are made (the directory of temporary files)',
    '  --json FILE     writes all figures there',
  ].join('\n'),

  async run(args) {
    const options = readOptions(args)
    const machine = describeMachine(options.dataParent)
    process.stdout.write(
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node}, ` +
        `load before ${machine.loadBefore.toFixed(2)}${machine.dataOnDisk ? '' : '; the store is in MEMORY, syncs are free'}\n`,
    )
    const rounds = await runRounds(options)
    const summary = summaryOf(rounds)
    process.stdout.write(`\n${tableOf(rounds, summary)}\n`)
    const unsound = rounds.filter(({ lost, unknown, duplicates }) => lost + unknown + duplicates > 0)
    const events = rounds.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
    process.stdout.write(
      unsound.length === 0
        ? `All ${whole(events)} acknowledged events were received, each once.\n`
        : unsound.map((r) => `LOST ${r.lost}, unknown ${r.unknown}, duplicates ${r.duplicates}\n`).join(''),
    )
    if (options.jsonFile !== null) {
      const { jsonFile, ...settings } = options
      writeFileSync(jsonFile, `${JSON.stringify({ machine, settings, summary, rounds }, null, 2)}\n`)
    }
    return unsound.length === 0
  },
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      webhooks: { type: 'string', default: '50' },
      store: { type: 'string', default: 'sqlite' },
      'data-dir': { type: 'string', default: os.tmpdir() },
      json: { type: 'string' },
    },
  })
  const store = STORES.find((name) => name === values.store)
  if (store === undefined) throw new Error(`--store must be one of ${STORES.join(', ')}`)
  const defaults = values.quick ? QUICK : FULL
  return {
    store,
    rounds: positive('rounds', values.rounds, defaults.rounds),
    seconds: positive('seconds', values.seconds, defaults.seconds),
    webhooks: positive('webhooks', values.webhooks, 50),
    warmUpDeliveries: WARM_UP_DELIVERIES,
    dataParent: values['data-dir'],
    jsonFile: values.json ?? null,
  }
}

function positive(flag: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${flag} must be a whole number from 1`)
  return value
}

/** In turn, so that a machine that slows down slows both. */
async function runRounds(options: Options): Promise<Round[]> {
  const rounds: Round[] = []
  for (let number = 1; number <= options.rounds; number++) {
    process.stdout.write(`round ${number} of ${options.rounds}: posthorn`)
    const { round, load } = await runPosthornRound(options)
    process.stdout.write(` ${whole(round.deliveriesPerSecond)}/s, bare loop`)
    const bare = await runBareRound(options, load)
    process.stdout.write(` ${whole(bare.deliveriesPerSecond)}/s\n`)
    rounds.push({ ...round, bare, ratio: round.deliveriesPerSecond / bare.deliveriesPerSecond })
  }
  return rounds
}

function summaryOf(rounds: readonly Round[]): Readonly<Record<string, Summary>> {
  return Object.fromEntries(
    Object.entries(COLUMNS).map(([name, { value }]) => [name, summarize(rounds.map(value))]),
  )
}

/** Figures down, rounds across: rounds are few. CPU and bytes are those of one delivery. */
function tableOf(rounds: readonly Round[], summary: Readonly<Record<string, Summary>>): string {
  const rows = Object.entries(COLUMNS).map(([name, { heading, value, show }]) => {
    const { median, min, max } = summary[name]!
    return [heading, ...rounds.map((round) => show(value(round))), show(median), `${show(min)}–${show(max)}`]
  })
  return table([['', ...rounds.map((_, i) => `round ${i + 1}`), 'median', 'spread'], ...rows])
}
