import type { Part } from '../story/cast.ts'
import type { Tally, Verdict } from '../story/verdict.ts'
import type { Printer } from './printer.ts'

/** Prints the result table and the verdict. */
export function printSummary(printer: Printer, cast: readonly Part[], verdict: Verdict): void {
  printer.heading('Result')
  printer.say('')
  printer.say(printer.styled('dim', `  ${row(printer, HEAD)}`))
  verdict.tallies.forEach((tally, index) => {
    const part = cast[index]!
    const isWell = !verdict.problems.some((problem) => problem.receiver === tally.receiver)
    const mark = printer.styled(isWell ? 'green' : 'red', isWell ? '✓' : '✗')
    printer.say(`${mark} ${row(printer, cells(part, tally))}`)
  })
  printer.say('')
  for (const { receiver, text } of verdict.problems) {
    printer.paragraph(`✗ ${receiver}: ${text}`, 'red')
  }
  if (verdict.problems.length > 0) printer.say('')
  printer.paragraph(closing(verdict), verdict.problems.length === 0 ? ['bold', 'green'] : ['bold', 'red'])
}

type Cells = readonly [string, string, string, string, string, string, string, string]

const HEAD: Cells = [
  'Receiver',
  'Behavior',
  'Events',
  'Attempts',
  'Delivered',
  'Verified',
  'Repeats',
  'Webhook',
]

function cells(part: Part, tally: Tally): Cells {
  const counts = [tally.meant, tally.attempts, tally.delivered, tally.verified, tally.duplicates].map(String)
  const [meant, attempts, delivered, verified, repeats] = counts as [string, string, string, string, string]
  return [tally.receiver, part.manner, meant, attempts, delivered, verified, repeats, tally.state]
}

function row(printer: Printer, [name, manner, ...rest]: Cells): string {
  const [meant, attempts, delivered, verified, repeats, state] = rest
  const numbers = [
    meant.padStart(6),
    attempts.padStart(8),
    delivered.padStart(9),
    verified.padStart(8),
    repeats.padStart(7),
  ]
  const how = printer.isWide ? `${manner.padEnd(21)} ` : ''
  return `${name.padEnd(14)}  ${how}${numbers.join(' ')}  ${state}`
}

function closing({ problems, tallies }: Verdict): string {
  if (problems.length > 0) {
    const count = problems.length === 1 ? 'One thing is' : `${problems.length} things are`
    return `${count} wrong.`
  }
  const verified = tallies.reduce((sum, tally) => sum + tally.verified, 0)
  const meant = tallies.reduce((sum, tally) => sum + tally.meant, 0)
  return (
    `All ${verified} expected deliveries arrived and were verified. The ${meant - verified} that should not arrive did not ` +
    "arrive. Every forged request was rejected, and the service's log agrees with the receivers."
  )
}
