import { whenParentEnds } from './parents.ts'
import type { Run } from './run.ts'
import { makeScratch, type Scratch } from './scratch.ts'
import type { DemoService } from './service.ts'
import { Printer } from './terminal/printer.ts'
import { printOpening } from './terminal/words.ts'

export interface DemoOptions {
  /** Ends after the story, for builds. */
  readonly once?: boolean
  /** Name of a receiver that gets a wrong secret, to check that the verdict notices it. */
  readonly breakSecret?: string
}

/** A run with `once` ends within this time, so that a build never hangs. */
const HARD_LIMIT_MS = 58_000
/** What shells expect of a program that Ctrl-C has ended. */
const INTERRUPTED = 130

/**
 * Plays the demo in this terminal.
 * @param loadService called once there is something to look at, since the service takes a while to load
 * @returns the exit code
 */
export async function playDemo(
  options: DemoOptions,
  loadService: () => Promise<DemoService>,
): Promise<number> {
  const stop = new AbortController()
  // Only once: a second signal ends the process immediately, as users expect.
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const parentWatch = whenParentEnds(() => stop.abort())
  const printer = printerOf(process.stdout)
  printOpening(printer)
  const scratch = makeScratch()
  const limit = options.once ? endInTime(printer, scratch) : undefined
  const code = await runOrExplain(options, loadService, { printer, scratch, signal: stop.signal })
  clearTimeout(limit)
  parentWatch.stop()
  const failed = code !== 0 && code !== INTERRUPTED
  if (failed) printer.say(`The log of the service: ${scratch.logFile}`)
  scratch.remove(failed)
  return code
}

async function runOrExplain(
  { once = false, breakSecret = null }: { readonly once?: boolean; readonly breakSecret?: string | null },
  loadService: () => Promise<DemoService>,
  { printer, scratch, signal }: Pick<Run, 'printer' | 'scratch' | 'signal'>,
): Promise<number> {
  try {
    const [service, { run }] = await Promise.all([loadService(), import('./run.ts')])
    return await run({ service, once, breakSecret, printer, scratch, signal })
  } catch (error) {
    if (signal.aborted) {
      printer.say('\nThe demo was stopped before the end.')
      return INTERRUPTED
    }
    printer.say(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

function printerOf(stdout: NodeJS.WriteStream): Printer {
  return new Printer({
    write: (text) => stdout.write(text),
    columns: stdout.columns ?? Number.POSITIVE_INFINITY,
    // Respects NO_COLOR and terminals without colors.
    colors: stdout.isTTY && stdout.hasColors(),
  })
}

function endInTime(printer: Printer, scratch: Scratch): NodeJS.Timeout {
  return setTimeout(() => {
    printer.say(
      `\nThe demo did not finish within ${HARD_LIMIT_MS / 1000} s. Log of the service: ${scratch.logFile}`,
    )
    scratch.remove(true)
    process.exit(1)
  }, HARD_LIMIT_MS)
}
