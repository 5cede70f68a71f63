import { describeMachine } from '../measure/machine.ts'
import type { AtStart } from './atStart.ts'
import { messageOf } from './benchError.ts'
import { NOTHING_OPEN } from './prepared.ts'
import { type Report, reportOf, reportText, whereLine } from './report.ts'
import type { Measurements, Prepared, Scenario, Settings } from './scenario.ts'

/** The environment that runs scenarios. */
export interface Bench {
  readonly atStart: AtStart
  write(text: string): void
  /** Called with the report so far after each round. */
  keep(report: Report): void
}

/**
 * Runs all rounds with one line of progress each, and prints the report. A failure ends the rounds; earlier
 * results are reported, with the failure as a complaint.
 * @throws Error if it failed before anything was measured
 */
export async function runScenario(
  scenario: Scenario,
  settings: Settings,
  { atStart, write, keep }: Bench,
): Promise<Report> {
  const where = { atStart, machine: describeMachine(settings) }
  write(`${scenario.name}: ${scenario.summary}\n${whereLine(where)}\n`)
  const prepared = await prepare(scenario, settings, write)
  const rounds: Record<string, Measurements>[] = []
  const complaints: string[] = []
  const variants = scenario.variants(settings)
  const report = () => reportOf(scenario, settings, where, rounds, complaints)
  try {
    while (rounds.length < settings.rounds) {
      const round: Record<string, Measurements> = {}
      const number = rounds.push(round)
      write(`round ${number} of ${settings.rounds}:`)
      const runVariant = scenario.round(settings, prepared)
      for (const variant of number % 2 === 1 ? variants : variants.toReversed()) {
        const outcome = await runVariant(variant)
        round[variant] = outcome.metrics
        complaints.push(...outcome.complaints.map((text) => `round ${number}, ${variant}: ${text}`))
        write(` ${variant} ${headlineOf(scenario, outcome.metrics)};`)
      }
      write('\n')
      keep(report())
    }
  } catch (error) {
    if (rounds.every((round) => Object.keys(round).length === 0)) throw error
    write(' stopped early\n')
    complaints.push(`round ${rounds.length} was stopped early: ${messageOf(error)}`)
    keep(report())
  } finally {
    await prepared.close()
  }
  write(`\n${reportText(scenario, report())}\n`)
  return report()
}

async function prepare(scenario: Scenario, settings: Settings, write: Bench['write']): Promise<Prepared> {
  if (scenario.prepare === undefined) return NOTHING_OPEN
  write('preparing:')
  const startedAt = performance.now()
  const prepared = await scenario.prepare(settings)
  write(` done in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`)
  return prepared
}

function headlineOf({ metrics, headline }: Scenario, measured: Measurements): string {
  const { heading, show } = metrics[headline]!
  const value = measured[headline]
  return value === undefined || Number.isNaN(value) ? '–' : `${show(value)} ${heading}`
}
