import { describeMachine } from '../measure/proc.ts'
import { machineLine, type Report, reportOf, reportText } from './report.ts'
import type { Figures, RoundFigures, Scenario, Settings } from './scenario.ts'

/** Runs all rounds, one line of progress each, and prints the report. */
export async function runScenario(
  scenario: Scenario,
  settings: Settings,
  write: (text: string) => void,
): Promise<Report> {
  const machine = describeMachine(settings.dataParent)
  write(`${scenario.name}: ${scenario.summary}\n${machineLine(machine)}\n`)
  const rounds: RoundFigures[] = []
  const complaints: string[] = []
  for (let number = 1; number <= settings.rounds; number++) {
    write(`round ${number} of ${settings.rounds}:`)
    const runVariant = scenario.round(settings)
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
}

function headlineOf({ figures, headline }: Scenario, measured: Figures): string {
  const { heading, show } = figures[headline]!
  const value = measured[headline]
  return value === undefined || Number.isNaN(value) ? '–' : `${show(value)} ${heading}`
}
