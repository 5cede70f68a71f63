import { BenchError } from './benchError.ts'
import { readTyped, settingsOf } from './flags.ts'
import type { Scenario, Settings } from './scenario.ts'

/** What the command line requests. */
export interface Plan {
  readonly runs: readonly { readonly scenario: Scenario; readonly settings: Settings }[]
  /** Scenarios of `all` that do not use the flags, with the reason. */
  readonly skipped: readonly string[]
  readonly jsonFile: string | null
}

/**
 * @param args a scenario's name or `all`, then flags; without a name, the first scenario runs. @throws
 * BenchError
 */
export function planOf(scenarios: readonly Scenario[], args: readonly string[]): Plan {
  const named = args[0] !== undefined && !args[0].startsWith('-')
  const name = named ? args[0] : scenarios[0]!.name
  const rest = named ? args.slice(1) : args
  if (name === 'all') return planOfAll(scenarios, rest)
  const scenario = scenarios.find((candidate) => candidate.name === name)
  if (scenario === undefined) {
    const names = scenarios.map((candidate) => candidate.name).join(', ')
    throw new BenchError(`there is no scenario ${name}; there are ${names}, and all`)
  }
  const typed = readTyped(rest, Object.keys(scenario.flags))
  return {
    runs: [{ scenario, settings: settingsOf(scenario, typed) }],
    skipped: [],
    jsonFile: jsonFileOf(typed.get('json')),
  }
}

function planOfAll(scenarios: readonly Scenario[], args: readonly string[]): Plan {
  const typed = readTyped(args, [])
  const store = typed.get('store')
  const means = ({ stores, tls }: Scenario) =>
    (store === undefined || stores.some((one) => one === store)) && (tls || !typed.has('tls'))
  const fitting = scenarios.filter(means)
  const withoutSeconds = new Map([...typed].filter(([name]) => name !== 'seconds'))
  // The first scenario reports a value that is invalid for all.
  const taken = fitting.length === 0 ? scenarios : fitting
  return {
    runs: taken.map((scenario) => ({
      scenario,
      settings: settingsOf(scenario, scenario.seconds === null ? withoutSeconds : typed),
    })),
    skipped: scenarios
      .filter((scenario) => !taken.includes(scenario))
      .map(
        ({ name, stores, tls }) =>
          `${name}: it runs only on ${stores.join(', ')}${tls ? '' : ', without --tls'}`,
      ),
    jsonFile: jsonFileOf(typed.get('json')),
  }
}

const jsonFileOf = (typed: string | true | undefined) => (typed === undefined ? null : String(typed))
