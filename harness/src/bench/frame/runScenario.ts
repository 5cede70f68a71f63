import { describeMachine } from '../measure/proc.ts'
import { toldOf } from './benchError.ts'
import { machineLine, type Report, reportOf, reportText } from './report.ts'
import type { Figures, Prepared, Scenario, Settings } from './scenario.ts'

const NOTHING: Prepared = { close: async () => {} }

/**
 * Runs all rounds, one line of progress each, and prints the report. What fails ends the rounds; what was measured before it is
 * reported, with the failure as a complaint.
 * @param keep gets the report after each round, as far as it goes
 * @throws Error of what failed before anything was measured
 */
export async function runScenario(
  scenario: Scenario,
  settings: Settings,
  write: (text: string) => void,
  keep: (report: Report) => void = () => {},
): Promise<Report> {
  const machine = describeMachine(settings.dataParent)
  write(`${scenario.name}: ${scenario.summary}\n${machineLine(machine)}\n`)
  const prepared = await prepare(scenario, settings, write)
  const rounds: Record<string, Figures>[] = []
  const complaints: string[] = []
  const variants = scenario.variants(settings)
  const report = () => reportOf(scenario, settings, machine, rounds, complaints)
  try {
    while (rounds.length < settings.rounds) {
      const round: Record<string, Figures> = {}
      const number = rounds.push(round)
      write(`round ${number} of ${settings.rounds}:`)
      const runVariant = scenario.round(settings, prepared)
      for (const variant of number % 2 === 1 ? variants : variants.toReversed()) {
        const outcome = await runVariant(variant)
        round[variant] = outcome.figures
        complaints.push(...outcome.complaints.map((text) => `round ${number}, ${variant}: ${text}`))
        write(` ${variant} ${headlineOf(scenario, outcome.figures)};`)
      }
      write('\n')
      keep(report())
    }
  } catch (error) {
    if (rounds.every((round) => Object.keys(round).length === 0)) throw error
    write(' broken off\n')
    complaints.push(`round ${rounds.length} was broken off: ${toldOf(error)}`)
    keep(report())
  } finally {
    await prepared.close()
  }
  write(`\n${reportText(scenario, report())}\n`)
  return report()
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
