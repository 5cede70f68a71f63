import { parseArgs } from 'node:util'
import { dataParentOf } from '../stage/dataParent.ts'
import { STORES } from '../stage/stores.ts'
import { BenchError } from './benchError.ts'
import type { Flag, Flags, Scenario, Settings } from './scenario.ts'

const ROUNDS = { usual: 3, quick: 1 }
const BOOLEANS = ['quick', 'tls'] as const
const COMMON = ['store', 'rounds', 'seconds', 'data-dir', 'json'] as const

/** The typed values, by flag without its dashes; `true` for a flag that takes no value. */
export type Typed = ReadonlyMap<string, string | true>

/** @throws BenchError when a flag is unknown, lacks its value or has an extra one */
export function readTyped(args: readonly string[], own: readonly string[]): Typed {
  const valued = [...COMMON, ...own]
  const known = [...BOOLEANS, ...valued]
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      known.map((name) => [name, { type: valued.includes(name) ? 'string' : 'boolean' }] as const),
    ),
  })
  const typed = new Map<string, string | true>()
  for (const token of tokens) {
    if (token.kind !== 'option') throw new BenchError(`${wordOf(token)} is not a flag; ${listed(known)}`)
    const { name, rawName, value } = token
    if (!known.includes(name)) throw new BenchError(`there is no flag ${rawName}; ${listed(known)}`)
    const wanted = valued.includes(name)
    if (wanted && (value === undefined || value.startsWith('--')))
      throw new BenchError(`${rawName} needs a value`)
    if (!wanted && value !== undefined) throw new BenchError(`${rawName} takes no value`)
    typed.set(name, value ?? true)
  }
  return typed
}

const wordOf = (token: { readonly kind: string; readonly value?: string }) => token.value ?? '--'
const listed = (names: readonly string[]) => `the flags are ${names.map((name) => `--${name}`).join(', ')}`

/** Fills in the defaults. @throws BenchError when a value is invalid or the scenario does not use it */
export function settingsOf<F extends Flags>(scenario: Scenario<F>, typed: Typed): Settings<F> {
  const quick = typed.has('quick')
  const tls = typed.has('tls')
  if (tls && !scenario.tls) throw new BenchError(`${scenario.name} does not support --tls; remove it`)
  if (typed.has('seconds') && scenario.seconds === null)
    throw new BenchError(`${scenario.name} does not support --seconds; remove it`)
  const usual = <T>(defaults: { readonly usual: T; readonly quick?: T }): T =>
    quick ? (defaults.quick ?? defaults.usual) : defaults.usual
  const count = (name: string, fallback: number, lowest = 1) =>
    typed.has(name) ? wholeFrom(lowest, name, typed.get(name)!) : fallback
  const read = (name: string, flag: Flag) => {
    if (flag.kind === 'count') return count(name, usual(flag), flag.lowest)
    const text = typed.get(name)
    if (flag.kind === 'text') return text === undefined ? usual(flag) : String(text)
    if (text === undefined) return usual<readonly (number | string)[]>(flag)
    const values = String(text).split(',')
    if (flag.kind === 'counts') return values.map((one) => wholeFrom(0, name, one))
    return values.map((one) => nameFrom(flag.choices, name, one))
  }
  const store = storeOf(scenario, typed.get('store'))
  const dataDir = typed.get('data-dir')
  return {
    store,
    tls,
    quick,
    rounds: count('rounds', usual(ROUNDS)),
    seconds: scenario.seconds === null ? 0 : count('seconds', usual(scenario.seconds)),
    dataParent: dataParentOf(store, dataDir === undefined ? null : String(dataDir)),
    // Each value has the type of its flag, which `read` ensures.
    flags: Object.fromEntries(
      Object.entries(scenario.flags).map(([name, flag]) => [name, read(name, flag)]),
    ) as Settings<F>['flags'],
  }
}

function storeOf({ name, stores }: Scenario, typed: string | true | undefined) {
  if (typed === undefined) return stores[0]
  const store = stores.find((one) => one === typed)
  if (store !== undefined) return store
  const isOther = STORES.some((one) => one === typed)
  throw new BenchError(
    isOther ? `${name} runs on ${stores.join(', ')} only` : `--store must be one of ${STORES.join(', ')}`,
  )
}

function wholeFrom(lowest: number, flag: string, text: string | true): number {
  const value = Number(text)
  if (/^\d+$/.test(String(text)) && value >= lowest) return value
  throw new BenchError(`--${flag} must be a whole number from ${lowest}, not "${text}"`)
}

function nameFrom(choices: readonly string[], flag: string, text: string): string {
  if (choices.includes(text)) return text
  throw new BenchError(`--${flag} must be one or more of ${choices.join(', ')}, not "${text}"`)
}

const VALUES: Readonly<Record<Flag['kind'], string>> = {
  count: 'N',
  counts: 'N,N',
  names: 'NAME,NAME',
  text: 'TEXT',
}

const COMMON_USAGE: readonly (readonly [flag: string, help: string])[] = [
  ['--store NAME', `${STORES.join(', or ')}: a separate server for each run`],
  ['--tls', 'receivers use HTTPS'],
  ['--rounds N', `rounds, each with all variants in turn (${ROUNDS.usual})`],
  ['--seconds N', 'seconds of measurement in each variant of each round, after the warm-up'],
  ['--quick', `${ROUNDS.quick} short round`],
  ['--data-dir DIR', 'directory for the temporary stores (the directory of temporary files)'],
  ['--json FILE', 'write all metrics to this file'],
]

export function usageOf(scenarios: readonly Scenario[]): string {
  const row = ([flag, help]: readonly [string, string]) => `  ${flag.padEnd(15)} ${help}\n`
  const own = ({ name, summary, seconds, flags }: Scenario) =>
    `${name}: ${summary}${seconds === null ? '' : ` (${seconds.usual} s)`}\n` +
    Object.entries(flags)
      .map(([flag, { kind, help, usual }]) =>
        row([`--${flag} ${VALUES[kind]}`, usual === '' ? help : `${help} (${usual})`]),
      )
      .join('')
  return (
    `usage: npm run bench -- [<scenario>|all] [flags]\n\n` +
    `Flags of all scenarios:\n${COMMON_USAGE.map(row).join('')}\n${scenarios.map(own).join('')}`
  )
}
