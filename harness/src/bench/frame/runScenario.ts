import { describeMachine } from '../measure/proc.ts'
import { machineLine, type Report, reportOf, reportText } from './report.ts'
import type { Figures, Prepared, RoundFigures, Scenario, Settings } from './scenario.ts'

const NOTHING: Prepared = { close: async () => {} }

/** Runs all rounds, one line of progress each, and prints the report. */
export async function runScenario(
  scenario: Scenario,
  settings: Settings,
  write: (text: string) => void,
): Promise<Report> {
  const machine = describeMachine(settings.dataParent)
  write(`${scenario.name}: ${scenario.summary}\n${machineLine(machine)}\n`)
  const prepared = await prepare(scenario, settings, write)
  try {
    const rounds: RoundFigures[] = []
    const complaints: string[] = []
    for (let number = 1; number <= settings.rounds; number++) {
      write(`round ${number} of ${settings.rounds}:`)
      const runVariant = scenario.round(settings, prepared)
      const round: Record<string, Figures> = {}
      for (const variant of scenario.variants(settings)) {
        const outcome = await runVariant(variant)
        round[variant] = outcome.figures
        complaints.push(...outcome.complaints.map((text) => `round ${number}, ${variant}: ${text}`))
        write(` ${variant} ${headlineOf(scenario, outcome.figures)};`)
      }
      write('\n')
      rounds.push(round)
    }
    const report = reportOf(scenario, settings, machine, rounds, complaints)
    write(`\n${reportText(scenario, report)}\n`)
    return report
  } finally {
    await prepared.close()
  }
}

async function prepare(
  scenario: Scenario,
  settings: Settings,
  write: (text: string) => void,
): Promise<Prepared> {
  if (scenario.prepare === undefined) return NOTHING
  write('preparing:')
  const startedAt = performance.now()
  const prepared = await scenario.prepare(settings)
  write(` done in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`)
  return prepared
}

function headlineOf({ figures, headline }: Scenario, measured: Figures): string {
  const { heading, show } = figures[headline]!
  const value = measured[headline]
  return value === undefined || Number.isNaN(value) ? '–' : `${show(value)} ${heading}`
}
